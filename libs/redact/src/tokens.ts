import type { Find, Mask } from './mask.js';

/** Makes a finder of a pattern; with `group` only that named part is masked. */
export const pattern =
  (rule: string, expression: RegExp, accept: (found: string) => boolean = () => true): Find =>
  (text) => {
    const masks: Mask[] = [];
    for (const found of text.matchAll(expression)) {
      const value = found.groups?.['value'] ?? found[0];
      if (!accept(value)) continue;
      const start = found.index + found[0].length - value.length;
      masks.push({ start, end: start + value.length, rule });
    }
    return masks;
  };

const TOKEN_RUN = /[A-Za-z0-9_=.-]{36,}/g;

/** JSON Web Tokens and JWE: looked for inside whole runs of token characters, so that "eyJeyJeyJ…" costs one pass. */
export const findJwts: Find = (text) => {
  const masks: Mask[] = [];
  for (const { 0: run, index } of text.matchAll(TOKEN_RUN)) {
    for (let from = run.indexOf('eyJ'); from >= 0;) {
      const dot = run.indexOf('.', from);
      if (dot < 0) break;
      const parts = run.slice(dot + 1).split('.', 4);
      const isToken = dot - from >= 10 && (parts[0]!.length >= 4 || parts.length === 4);
      if (!isToken) {
        from = run.indexOf('eyJ', dot);
        continue;
      }
      const end = dot + parts.reduce((sum, part) => sum + part.length + 1, 0);
      masks.push({ start: index + from, end: index + end, rule: 'jwt' });
      from = run.indexOf('eyJ', end);
    }
  }
  return masks;
};

const AWS_ID = /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g;
const AWS_SECRET = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** How far behind the id its secret is looked for: the next column, field or line. */
const AWS_NEAR = 200;

/** AWS key ids and, near one, the bare 40-character secret that no name announces (field case F15). A commit id there is left alone. */
export const findAwsKeys: Find = (text) => {
  const masks: Mask[] = [];
  for (const { 0: id, index } of text.matchAll(AWS_ID)) {
    const from = index + id.length;
    masks.push({ start: index, end: from, rule: 'aws_key' });
    for (const near of text.slice(from, from + AWS_NEAR).matchAll(AWS_SECRET)) {
      const mixed = /[A-Z]/.test(near[0]) && /[a-z]/.test(near[0]) && /[0-9]/.test(near[0]);
      if (mixed) masks.push({ start: from + near.index, end: from + near.index + 40, rule: 'aws_key' });
    }
  }
  return masks;
};

/** `Basic` credentials are recognised by what they decode to, so that "basic authentication" stays readable. */
export function isBasicCredential(value: string): boolean {
  const decoded = Buffer.from(value.slice(0, 4096), 'base64').toString('latin1');
  return /^[\x20-\xff]*:[\x20-\xff]*$/.test(decoded);
}

/** A bearer has digits or mixed case, or is longer than words are. */
export const isBearer = (value: string) =>
  /[0-9]/.test(value) || value.length >= 32 || (/[a-z]/.test(value) && /[A-Z]/.test(value.slice(1)));
