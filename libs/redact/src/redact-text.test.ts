import { describe, expect, test } from '@jest/globals';
import { redactText } from './redact-text.js';

const out = (text: string) => redactText(text).text;
const body = (n: number) => `MIIEpAIBAAKCAQEA${n}q7GmH3kT9xVf+Qw2Zr8LpN4sYbD6cJ1uE5oRtXaKvPzWhM`;
const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  ...[1, 2, 3, 4, 5, 6, 7].map((n) => body(n).padEnd(64, 'Zq9')),
  'Ab3dE5fG7h==',
  '-----END RSA PRIVATE KEY-----',
];

describe('field cases F11 to F15: nothing of the secret is left, the rest is', () => {
  test.each([
    ['split token', 'API_KEY=sk_fake_1234567890abcd\nnext', 'API_KEY=[redacted:key_value]\nnext'],
    [
      'colour code before a token',
      '\x1b[32mghp_FAKEfakeFAKEfake0123456789abcdef01\x1b[0m ok',
      '[redacted:github_token] ok',
    ],
    ['colour code inside a value', 'token=\x1b[1mab\x1b[0mcd1234567890 ok', 'token=[redacted:key_value] ok'],
    [
      'zero-width space inside',
      'a ghp_FAKEfake\u200bFAKEfake0123456789abcdef01 b\u200bc',
      'a [redacted:github_token] b\u200bc',
    ],
    ['soft hyphen in a key name', 'pass\u00adword=hunter2 x', 'pass\u00adword=[redacted:key_value] x'],
    [
      'odd password',
      'postgres://u:pa@ss:w0rd@db:5432/x?sslmode=require',
      'postgres://u:[redacted:url_credentials]@db:5432/x?sslmode=require',
    ],
    [
      'query password',
      'postgres://u@db/x?password=hunter22&a=b',
      'postgres://u@db/x?password=[redacted:key_value]&a=b',
    ],
    ['password only', 'redis://:p%40ss@h', 'redis://:[redacted:url_credentials]@h'],
    [
      'clone URL',
      "to 'https://x-access-token:ghs_FAKE123456@127.0.0.1:1/r.git/'",
      "to 'https://x-access-token:[redacted:url_credentials]@127.0.0.1:1/r.git/'",
    ],
    ['escaped clone URL', 'https\\://u\\:t0ken\\@h', 'https\\://u\\:[redacted:url_credentials]\\@h'],
    ['slash in a password', 'amqp://u:p/w?d#x@mq:5672/v', 'amqp://u:[redacted:url_credentials]@mq:5672/v'],
    ['token as user', 'https://abcDEF0123456789abcdef@h/x', 'https://[redacted:url_credentials]@h/x'],
    ['Basic header', 'Authorization: Basic dXNlcjpw', 'Authorization: Basic [redacted:authorization]'],
    [
      'git extraheader',
      'http.extraheader=AUTHORIZATION: basic eC1hOmI= fetch',
      'http.extraheader=AUTHORIZATION: basic [redacted:authorization] fetch',
    ],
    ['bare Basic', 'sent Basic dXNlcjpw to h', 'sent Basic [redacted:authorization] to h'],
    [
      'Digest header',
      'Authorization: Digest username="u", response="6629"\nHost: h',
      'Authorization: Digest [redacted:authorization]\nHost: h',
    ],
    ['JSON header', '{"x-api-key": "abc", "n":1}', '{"x-api-key": "[redacted:key_value]", "n":1}'],
    ['Cookie', 'Cookie: a=b; c=d\r\nHost: h', 'Cookie: [redacted:cookie]\r\nHost: h'],
    ['Set-Cookie', 'Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [redacted:cookie]'],
    ['curl', "curl -H 'Cookie: a=b' https://h/x", "curl -H 'Cookie: [redacted:cookie]' https://h/x"],
    [
      'pair in a JSON string',
      '{"env":"API_KEY=abc\\"d","n":2}',
      '{"env":"API_KEY=[redacted:key_value]","n":2}',
    ],
    [
      'AWS pair',
      'aws_secret_access_key=fAkE0sEcReT/fAkE1sEcReT+fAkE2sEcReT/4040',
      'aws_secret_access_key=[redacted:key_value]',
    ],
    ['compound key', 'my_api_key_value: abcdef123456', 'my_api_key_value: [redacted:key_value]'],
    [
      'bare AWS secret',
      'AKIAFAKEFAKEFAKE1234 fAkE0sEcReT/fAkE1sEcReT+fAkE2sEcReT/4040',
      '[redacted:aws_key] [redacted:aws_key]',
    ],
  ])('%s', (_name, text, expected) => {
    expect(out(text)).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['whole block', ['x', ...PEM, 'after'].join('\n'), 'x\n[redacted:private_key]\nafter'],
    [
      'no END',
      ['x', ...PEM.slice(0, -1), 'after the end'].join('\n'),
      'x\n[redacted:private_key]\nafter the end',
    ],
    ['CRLF', ['x', ...PEM, 'after'].join('\r\n'), 'x\r\n[redacted:private_key]\r\nafter'],
    [
      'numbered',
      PEM.map((line, i) => `${i + 1}| ${line}`).join('\n') + '\n11| after',
      '1| [redacted:private_key]\n11| after',
    ],
    [
      'numbered, no END',
      PEM.slice(0, -1)
        .map((line, i) => `${i + 1}: ${line}`)
        .join('\n') + '\n10: it ran',
      '1: [redacted:private_key]\n10: it ran',
    ],
    ['tail from inside', PEM.slice(3).join('\n') + '\nafter', '[redacted:private_key]\nafter'],
    [
      'tail from inside, no END',
      PEM.slice(3, -1).join('\r\n') + '\r\nafter it',
      '[redacted:private_key]\r\nafter it',
    ],
    ['one JSON string', JSON.stringify({ k: PEM.join('\n'), n: 1 }), '{"k":"[redacted:private_key]","n":1}'],
    [
      'one JSON string, no END',
      JSON.stringify({ k: PEM.slice(0, -1).join('\n'), n: 1 }),
      '{"k":"[redacted:private_key]","n":1}',
    ],
  ])('PEM: %s', (_name, text, expected) => {
    expect(out(text)).toBe(expected);
  });
});

describe('other forms', () => {
  const bearer = `mcp_${'Ab1-_xYz'.repeat(5)}abc`;
  test.each([
    ['our bearer', `lease ${bearer} issued`, 'lease [redacted:adaos_bearer] issued'],
    ['operator bearer', `x=${bearer.replace('mcp_', 'adm_')}`, 'x=[redacted:adaos_bearer]'],
    [
      'AWS id beside a commit',
      'AKIAFAKEFAKEFAKE1234 3f2a9c0d4b5e6f708192a3b4c5d6e7f8091a2b3c',
      '[redacted:aws_key] 3f2a9c0d4b5e6f708192a3b4c5d6e7f8091a2b3c',
    ],
    [
      'numbers in JSON',
      '{"password":[12,{"a":-3.5}],"n":4}',
      '{"password":["[redacted:key_value]",{"a":"[redacted:key_value]"}],"n":4}',
    ],
    ['JWT', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123 ok', 'got [redacted:jwt] ok'],
    ['JWT glued to a letter', 'xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123', 'x[redacted:jwt]'],
    ['Slack', 'xoxb-1234567890-abcdefghij', '[redacted:slack_token]'],
    ['Google', `key AIza${'a1B2c'.repeat(7)}`, 'key [redacted:google_key]'],
    ['OpenAI', `sk-proj-${'a1B2c'.repeat(8)}`, '[redacted:openai_key]'],
    ['NATS seed', `SU${'AB2C3D4E'.repeat(7)}`, '[redacted:nats_seed]'],
    [
      'environment',
      'PGPASSWORD=x MYSQL_PWD=y HOME=/root',
      'PGPASSWORD=[redacted:key_value] MYSQL_PWD=[redacted:key_value] HOME=/root',
    ],
    [
      'YAML to the line end',
      'a: 1\n  password: correct horse\nb: 2',
      'a: 1\n  password: [redacted:key_value]\nb: 2',
    ],
    ['quoted YAML', `secret: "a b" # c`, 'secret: "[redacted:key_value]" # c'],
    [
      'ADO string',
      'User Id=sa;Password=pa;ss;Database=x',
      'User Id=sa;Password=[redacted:key_value];Database=x',
    ],
    ['flag', 'run --password hunter2 --name x', 'run --password [redacted:key_value] --name x'],
    ['flag in a list', '["--token","abc def","--x"]', '["--token","[redacted:key_value]","--x"]'],
    ['XML', '<password>hunter2</password>', '<password>[redacted:key_value]</password>'],
    [
      'Python',
      "{'password': 'it\\'s', b'token': b'x'}",
      "{'password': '[redacted:key_value]', b'token': b'[redacted:key_value]'}",
    ],
    [
      'Ruby',
      '{"password"=>"x", :token=>"y"}',
      '{"password"=>"[redacted:key_value]", :token=>"[redacted:key_value]"}',
    ],
    ['written-out line break', '{"m":"a\\napi_key=abc"}', '{"m":"a\\napi_key=[redacted:key_value]"}'],
    ['API key in prose', 'your API key: abc123 ok', 'your API key: [redacted:key_value] ok'],
  ])('%s', (_name, text, expected) => {
    expect(out(text)).toBe(expected);
  });
});

describe('what is no secret stays', () => {
  test.each([
    '/srv/app/releases/2026/src/builtins.ts',
    'commit 3f2a9c0d4b5e6f708192a3b4c5d6e7f8091a2b3c by x',
    'id 123e4567-e89b-12d3-a456-426614174000',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    `${'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n'.repeat(3)}`,
    'max_tokens: 4096 token_count=5 tokens=512 prompt_tokens: 12 cookies: 3',
    '{"tokens":512,"token_type":"bearer","key":"k","public_key":"abc"}',
    'token: invalid; password: missing; unexpected token: }',
    'password=null token=none secret=',
    'bearer authentication failed, basic authentication required',
    'GET https://h:8080/users/@me?email=a@b.com 200',
    'ssh://git@github.com/x.git and https://user@h/x',
    'tls: private_key=/etc/ssl/private/hub.key loaded',
    'Token::parse token == null while token != x',
    'https://h:8080/@scope/pkg and http://[::1]:80/@x',
    '{"tokens":{"prompt":12,"completion":30}}',
    'lease_id=lse_01J8Z3K4M5N6P7Q8R9S0T1V2W3 session_id: lse_9 page_token=abc',
    `mcp_v1_${'snake_case_'.repeat(5)}name`,
    '12 passed, 3 skipped; pass: 12',
    '-----BEGIN CERTIFICATE-----\n' +
      `${body(1).padEnd(64, 'Zq9')}\n`.repeat(3) +
      '-----END CERTIFICATE-----',
    'emoji 👩\u200d🚀 and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 keep their joiners',
  ])('%j', (text) => {
    expect(redactText(text)).toEqual({ text, redactions: [] });
  });
});

test('counts are told per rule, sorted, and never what was found', () => {
  const { redactions } = redactText('token=aaa secret=bbb Cookie: c=d');
  expect(redactions).toEqual([
    { rule: 'cookie', count: 1 },
    { rule: 'key_value', count: 2 },
  ]);
});
