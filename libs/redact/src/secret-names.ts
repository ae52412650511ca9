/** What a name says of its value: nothing, an Authorization header, a cookie, or another secret. */
export type SecretKind = 'authorization' | 'cookie' | 'secret';

/** Words that add nothing to what a name holds: `my_api_key_value` is still an API key (field case F15). */
const NEUTRAL =
  /^(?:value|val|raw|plain|text|string|str|new|old|current|previous|prod|dev|test|staging|base64|b64|hash|encoded|encrypted|header|v?\d+)$/;
/** Endings that make a word a secret wherever it stands alone or compounded: PGPASSWORD, csrftoken, clientsecret. */
const ENDING =
  /(?:passwords?|passwd|passphrases?|passcode|pwd|secrets?|tokens?|apikeys?|authkey|jwt|credentials?|privatekey|secretkey|accesskey|masterkey|sessid|sessionkey|bearer|mnemonic)$/;
const COOKIE = /(?:cookies?|jsessionid)$/;
const AUTHORIZATION = /authorization$/;
/** A key is a secret by what kind of key it is; public, primary, cache and sort keys are not. */
const KEY_KINDS =
  /^(?:n?x?api|private|secret|access|signing|signature|encryption|decryption|cipher|master|account|shared|auth|session|storage|ssh|license|webhook|hmac|jwt|admin|deploy)$/;
/** Tokens that point at a page or a place in a stream, not at rights. */
const POINTERS = /^(?:page|next|prev|continuation|sync|resume|cursor|pagination)$/;

const cache = new Map<string, SecretKind | null>();
const CACHE_SIZE = 2_000;

/** Classifies a field, header, variable or flag name. Names of metadata about secrets (token_count, secret_name, key_id) are not secret. */
export function secretKind(name: string): SecretKind | null {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const kind = classify(name.slice(-128));
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(name, kind);
  return kind;
}

function classify(name: string): SecretKind | null {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  while (words.length > 1 && NEUTRAL.test(words.at(-1)!)) words.pop();
  const last = (words.at(-1) ?? '').replace(/(?<=[a-z])\d+$/, '');
  const before = words.at(-2) ?? '';
  if (AUTHORIZATION.test(last)) return 'authorization';
  if (COOKIE.test(last)) return 'cookie';
  if (ENDING.test(last)) return POINTERS.test(before) ? null : 'secret';
  if (/^keys?$/.test(last) && KEY_KINDS.test(before)) return 'secret';
  if (/^pass$/.test(last)) return 'secret';
  if (last === 'auth' && /^_/.test(name)) return 'secret';
  return null;
}

/** Names in the plural count as often as they hold: `tokens: 512` is a counter, `tokens: ["…"]` is not. */
export const isCounterName = (name: string): boolean => /s$|(?:^|[^a-z])pass$/i.test(name);
