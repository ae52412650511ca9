import { constants } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { OpError } from '@adaos/contracts';
import { isInside } from '../../read-agent-config.js';
import { serviceLogPath } from '../../supervisor/supervisor.js';
import type { AdapterDeps } from '../adapter.js';

/** One answer for all that may be wrong with a source, so that it can't be used to learn which files exist (field case F21). */
export const refused = () =>
  new OpError('invalid_argument', { path: '/source' }, 'No such log source, or it cannot be read.');

export interface OpenSource {
  readonly handle: FileHandle;
  /** An older file of the same source exists beside it. */
  readonly rotated: boolean;
}

/**
 * Opens a configured log source. The real path must lie in a log root by whole segments, whatever symbolic links lead to it, and be a
 * regular file; a FIFO is opened without waiting and then refused. Throws `refused()` for everything else.
 */
export async function openSource(name: string, { config, data_dir }: AdapterDeps): Promise<OpenSource> {
  const source = config.log_sources.find((one) => one.name === name);
  if (!source) throw refused();
  const [path, roots] =
    source.kind === 'file'
      ? [source.path, config.log_roots]
      : [serviceLogPath(data_dir, source.service), [join(data_dir, 'logs')]];
  let handle: FileHandle | undefined;
  try {
    const real_roots = (await Promise.allSettled(roots.map((root) => realpath(root)))).flatMap((root) =>
      root.status === 'fulfilled' ? [root.value] : [],
    );
    const inside = (file: string) => real_roots.some((root) => isInside(root, file));
    const real = await realpath(path);
    if (!inside(real) || !(await stat(real)).isFile()) throw refused();
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
    handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    // Between the look and the open a directory may have been swapped: what counts is what was opened.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => real);
    if (!inside(opened.replace(/ \(deleted\)$/, '')) || !(await handle.stat()).isFile()) throw refused();
    const rotated =
      source.kind === 'service' &&
      (await stat(`${path}.1`).then(
        () => true,
        () => false,
      ));
    return { handle, rotated };
  } catch {
    await handle?.close();
    throw refused();
  }
}
