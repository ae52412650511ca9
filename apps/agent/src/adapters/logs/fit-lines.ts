/** Bytes of UTF-8 one line may take. */
export const LINE_CAP = 8 * 1024;

/** Cuts a line to the cap at a character border and says how much is missing. */
function capLine(line: string): string {
  const total = Buffer.byteLength(line);
  if (total <= LINE_CAP) return line;
  const head = Buffer.from(line).subarray(0, LINE_CAP);
  // A streaming decoder keeps an unfinished last character back instead of replacing it.
  const kept = new TextDecoder('utf-8').decode(head, { stream: true });
  return `${kept} [line cut: ${total - Buffer.byteLength(kept)} more bytes]`;
}

/** The newest lines whose JSON fits into `max_bytes`, in order. */
export function fitLines(
  lines: readonly string[],
  max_bytes: number,
): { lines: string[]; truncated: boolean } {
  const kept: string[] = [];
  let truncated = false;
  let left = max_bytes;
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = capLine(lines[i]!);
    if (line !== lines[i]) truncated = true;
    left -= Buffer.byteLength(JSON.stringify(line)) + 1;
    if (left < 0) return { lines: kept.reverse(), truncated: true };
    kept.push(line);
  }
  return { lines: kept.reverse(), truncated };
}
