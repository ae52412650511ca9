import type { Find, Mask } from './mask.js';
import { carriage, isLast, keyPart, lineEnd } from './pem.js';

/** Line widths PEM writers use: 64 (OpenSSL), 70 (OpenSSH), 76 (MIME). */
const WIDTHS = new Set([64, 70, 76]);
/** Hex digests fill a column as well; only base64 has letters beyond f in both cases. */
const isBase64 = (token: string) => /[G-Z]/.test(token) && /[g-z]/.test(token);

interface Run {
  readonly start: number;
  end: number;
  lines: number;
  readonly width: number;
  open: boolean;
}

/** Key bodies with neither end in sight: two or more lines in a row of one PEM width. Public blocks (certificates) are left alone. */
export const findKeyBodies: Find = (text) => {
  if (!/[A-Za-z0-9+/]{64}/.test(text)) return [];
  const runs: Run[] = [];
  let in_public = false;
  for (let at = 0; at < text.length;) {
    const stop = lineEnd(text, at);
    const line = text.slice(at, stop);
    if (line.includes('-----BEGIN ')) in_public = true;
    else if (line.includes('-----END ')) in_public = false;
    const token = in_public ? '' : keyPart(line);
    const run = runs.at(-1);
    const end = stop - carriage(line);
    if (WIDTHS.has(token.length) && isBase64(token)) {
      if (run?.open && run.width === token.length) {
        run.end = end;
        run.lines += 1;
      } else runs.push({ start: at, end, lines: 1, width: token.length, open: true });
    } else if (run?.open) {
      // The short last line belongs to the body, unless it is a plain word.
      if (run.lines > 1 && isLast(line) && /[0-9+/=]/.test(line)) run.end = end;
      run.open = false;
    }
    at = stop + 1;
  }
  return runs
    .filter((run) => run.lines > 1)
    .map(({ start, end }): Mask => ({ start, end, rule: 'private_key' }));
};
