import type { Find } from './mask.js';
import { findPairs } from './pairs.js';
import { findKeyBodies } from './pem-bodies.js';
import { findPrivateKeys } from './pem.js';
import { findAwsKeys, findJwts, isBasicCredential, isBearer, pattern } from './tokens.js';
import { findUrlCredentials } from './urls.js';
import { findFlags, findXmlElements } from './flags.js';

/** One kind of secret. A text without any of the hints can't hold it, so most rules cost one search. */
export interface Rule {
  readonly rule: string;
  readonly hints: readonly string[];
  readonly find: Find;
}

/** A token known by its own form; `expression` must be bounded or consume what it scans. */
const token = (
  rule: string,
  hints: readonly string[],
  expression: RegExp,
  accept?: (found: string) => boolean,
): Rule => ({
  rule,
  hints,
  find: pattern(rule, expression, accept),
});

const hasDigit = (found: string) => /[0-9]/.test(found);
const hasUpper = (found: string) => /[A-Z]/.test(found);

/** The rule set, in the order that names a secret two rules find. Data: a kept set of the zone can be added to it. */
export const RULES: readonly Rule[] = [
  { rule: 'private_key', hints: ['PRIVATE KEY'], find: findPrivateKeys },
  { rule: 'private_key', hints: ['\n'], find: findKeyBodies },
  token(
    'adaos_bearer',
    ['mcp_', 'adm_', 'atk_', 'apk_', 'con_'],
    /(?:mcp|adm|atk|apk|con)_[A-Za-z0-9_-]{43,}/g,
    hasUpper,
  ),
  token('github_token', ['gh', 'github_pat_'], /gh[pousr]_[A-Za-z0-9_]{16,}|github_pat_[A-Za-z0-9_]{20,}/g),
  token('gitlab_token', ['gl'], /gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_-]{16,}/g),
  token('slack_token', ['xox', 'xapp-'], /xox[a-z]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}/g),
  token(
    'slack_webhook',
    ['hooks.slack.com'],
    /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]{20,}/g,
  ),
  { rule: 'aws_key', hints: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], find: findAwsKeys },
  token(
    'google_key',
    ['AIza', 'ya29.', 'GOCSPX-'],
    /AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}/g,
  ),
  token('openai_key', ['sk-'], /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g, hasDigit),
  token(
    'stripe_key',
    ['_live_', '_test_', 'whsec_'],
    /[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,}/g,
  ),
  token('npm_token', ['npm_'], /npm_[A-Za-z0-9]{30,}/g),
  token('pypi_token', ['pypi-'], /pypi-[A-Za-z0-9_-]{40,}/g),
  token('huggingface_token', ['hf_'], /hf_[A-Za-z0-9]{30,}/g, hasUpper),
  token('vault_token', ['hvs.', 'hvb.'], /hv[sb]\.[A-Za-z0-9_-]{20,}/g),
  token('sendgrid_key', ['SG.'], /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g),
  token('nats_seed', ['S'], /(?<![A-Z0-9])S[UANOCXW][A-Z2-7]{56}(?![A-Z0-9])/g),
  token('age_key', ['AGE-SECRET-KEY-'], /AGE-SECRET-KEY-1[A-Z0-9]{50,}/g),
  { rule: 'jwt', hints: ['eyJ'], find: findJwts },
  { rule: 'url_credentials', hints: ['/'], find: findUrlCredentials },
  { rule: 'key_value', hints: ['=', ':'], find: findPairs },
  { rule: 'key_value', hints: ['-'], find: findFlags },
  { rule: 'key_value', hints: ['</'], find: findXmlElements },
  token('authorization', ['asic'], /\bbasic[ \t]+(?<value>[A-Za-z0-9+/=_-]{6,})/gi, isBasicCredential),
  token('authorization', ['earer'], /\bbearer[ \t]+(?<value>[A-Za-z0-9._~+/=-]{8,})/gi, isBearer),
];
