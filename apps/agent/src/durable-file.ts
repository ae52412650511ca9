import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file so that after a crash at any moment either the old or the new content stands there, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, path);
  // The rename itself is durable only once the directory is.
  const directory = await open(dirname(path), 'r');
  await directory.sync().finally(() => directory.close());
}
