import { describe, expect, test } from '@jest/globals';
import { ConfigError } from '@adaos/runtime';
import { isInside, parseAgentConfig } from './read-agent-config.js';

const read = (text: string, env = {}) => parseAgentConfig(text, { file: '/etc/hub/agent.yaml', env });
const problemsOf = (text: string): readonly string[] => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('a file that is right', () => {
  const TEXT = `
hub_id: hub-1
disk_path: data
services:
  - name: web
    argv: [/usr/bin/node, server.js]
    cwd: ./web
    env_allow: [LANG, ABSENT]
    env: { PORT: "8080" }
    ready: { http: "http://localhost:8080/ready" }
health_checks:
  - { name: web, kind: http, url: "http://localhost:8080/" }
  - { name: db, kind: tcp, host: localhost, port: 5432, timeout_ms: 500 }
  - { name: proc, kind: service, service: web }
log_sources:
  - { name: app, kind: file, path: logs/app.log }
  - { name: web, kind: service, service: web }
log_roots: [logs]
`;
  test('gets its defaults, absolute paths and only the variables it asked for', () => {
    const config = read(TEXT, { LANG: 'C', CANARY_SECRET: 'zz' });
    expect(config.services[0]).toEqual({
      name: 'web',
      argv: ['/usr/bin/node', 'server.js'],
      cwd: '/etc/hub/web',
      env_allow: ['LANG', 'ABSENT'],
      env: { LANG: 'C', PORT: '8080' },
      ready: { http: 'http://localhost:8080/ready' },
      restart: { max_restarts: 5, backoff_ms: 500 },
      observe_ms: 3_000,
      stop_timeout_ms: 5_000,
    });
    expect(config).toMatchObject({
      disk_path: '/etc/hub/data',
      heartbeat_ms: 15_000,
      limits: { max_concurrency: 8, max_output_bytes: 262_144, log_file_bytes: 4_194_304 },
      log_roots: ['/etc/hub/logs'],
    });
    expect(config.log_sources[0]).toEqual({ name: 'app', kind: 'file', path: '/etc/hub/logs/app.log' });
    expect(config.health_checks.map((c) => c.timeout_ms)).toEqual([2_000, 500, 2_000]);
  });
});

describe('a file that is wrong', () => {
  test('tells every problem at once, each with its line', () => {
    const problems = problemsOf(`
hub_id: "a b"
services:
  - name: web
    argv: node server.js
    shell: true
  - name: ../x
    argv: []
health_checks:
  - { name: a, kind: http }
  - { name: b, kind: ping }
heartbeat_ms: soon
`);
    expect(problems).toEqual([
      '/etc/hub/agent.yaml:2: hub_id must match pattern "^[A-Za-z0-9_-]{1,64}$"',
      '/etc/hub/agent.yaml:6: services.0.shell is not a setting',
      '/etc/hub/agent.yaml:5: services.0.argv must be array',
      '/etc/hub/agent.yaml:7: services.1.name must match pattern "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"',
      '/etc/hub/agent.yaml:8: services.1.argv must NOT have fewer than 1 items',
      '/etc/hub/agent.yaml:10: health_checks.0.url is missing',
      '/etc/hub/agent.yaml:11: health_checks.1.kind must name a known kind',
      '/etc/hub/agent.yaml:12: heartbeat_ms must be integer',
    ]);
  });

  test('names used twice, references to nothing, sources outside the roots, own secrets passed on', () => {
    const problems = problemsOf(`
hub_id: h
services:
  - { name: web, argv: [x], env_allow: [NATS_PASSWORD] }
  - { name: web, argv: [x] }
health_checks:
  - { name: a, kind: service, service: db }
log_sources:
  - { name: s, kind: file, path: /var/log/app-secret/x.log }
log_roots: [/var/log/app]
`);
    expect(problems).toEqual([
      '/etc/hub/agent.yaml:5: services.1.name "web" is used twice',
      '/etc/hub/agent.yaml:7: health_checks.0.service names no service: "db"',
      '/etc/hub/agent.yaml:9: log_sources.0.path lies in none of log_roots',
      "/etc/hub/agent.yaml:4: services.0.env_allow may not pass on NATS_PASSWORD, the agent's own secret",
    ]);
  });

  test('broken YAML, a key twice, an empty file', () => {
    expect(problemsOf('hub_id: [a')[0]).toMatch(/^\/etc\/hub\/agent\.yaml:1: Flow sequence/);
    expect(problemsOf('hub_id: a\nhub_id: b\n')[0]).toMatch(
      /^\/etc\/hub\/agent\.yaml:2: Map keys must be unique/,
    );
    expect(problemsOf('')).toEqual(['/etc/hub/agent.yaml: must be object']);
  });
});

test.each([
  ['/var/log/app', '/var/log/app/x.log', true],
  ['/var/log/app', '/var/log/app-secret/x.log', false],
  ['/var/log/app', '/var/log/app/../x.log', false],
  ['/var/log/app', '/var/log/app', false],
  ['/', '/x', true],
  ['/a', '/a/..x', true],
])('isInside(%s, %s) is %s', (root, path, inside) => {
  expect(isInside(root, path)).toBe(inside);
});
