import type { Adapter } from '../adapter.js';
import { openSource } from './open-source.js';
import { readTail } from './tail.js';

const DEFAULT_TAIL = 100;

/** hub.get_logs: the end of one named source, masked; without a source, which sources there are. */
export const logs: Adapter = {
  tool_id: 'hub.get_logs',
  adapter: 'logs',
  async run(args, context) {
    const sources = context.config.log_sources.map((source) => source.name);
    const name = args['source'] as string | undefined;
    const empty = {
      source: name ?? null,
      sources,
      lines: [] as string[],
      count: 0,
      bytes_scanned: 0,
      complete: true,
    };
    if (name === undefined) return { output: empty, complete: true };
    const { handle, rotated } = await openSource(name, context);
    try {
      const { redactions, truncated, ...found } = await readTail(handle, {
        tail: (args['tail'] as number | undefined) ?? DEFAULT_TAIL,
        contains: args['contains'] as string | undefined,
        // What stands around the lines counts as well: sources may be many.
        max_bytes: context.max_bytes - Buffer.byteLength(JSON.stringify(empty)) - 64,
        signal: context.signal,
      });
      const complete = found.complete && !rotated;
      const output = { ...empty, ...found, count: found.lines.length, complete };
      return { output, complete, truncated, redactions };
    } finally {
      await handle.close();
    }
  },
};
