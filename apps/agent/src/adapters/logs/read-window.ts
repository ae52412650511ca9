import type { FileHandle } from 'node:fs/promises';

const CHUNK = 64 * 1024;

/** The last bytes of a file, growing towards its start. */
export interface Window {
  readonly bytes: Buffer;
  /** Offset of the first byte; 0 when the whole file was read. */
  readonly start: number;
  /** The bytes before `start` are no text: nothing older can be shown. */
  readonly blocked: boolean;
}

/** Reads the last `want` bytes, re-using what a smaller window holds. Null when the newest bytes are binary. */
export async function readWindow(
  handle: FileHandle,
  size: number,
  want: number,
  known: Window | null,
  signal: AbortSignal,
): Promise<Window | null> {
  const parts: Buffer[] = known ? [known.bytes] : [];
  let start = known ? known.start : size;
  if (known?.blocked) return known;
  while (start > Math.max(0, size - want)) {
    signal.throwIfAborted();
    const from = Math.max(0, start - CHUNK);
    const chunk = await readPart(handle, from, start - from);
    const nul = chunk.lastIndexOf(0);
    if (nul >= 0) {
      // A stray byte or a hole that copytruncate left: what follows it is text and is shown. A file that is no log is refused.
      if (parts.length === 0 && !isText(chunk.subarray(nul + 1))) return null;
      parts.unshift(chunk.subarray(nul + 1));
      return { bytes: Buffer.concat(parts), start: from + nul + 1, blocked: true };
    }
    parts.unshift(chunk);
    start = from;
  }
  return { bytes: Buffer.concat(parts), start, blocked: false };
}

/** Something to read: not empty, and no control characters but tab, line ends and the escape of colours. */
const isText = (bytes: Buffer): boolean =>
  bytes.length > 0 &&
  bytes.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x1b);

/** Exactly the bytes that are there: a file cut while it is read gives fewer. */
async function readPart(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const { bytesRead } = await handle.read(buffer, got, length - got, position + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return buffer.subarray(0, got);
}
