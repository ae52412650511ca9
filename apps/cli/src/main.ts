import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sink } from './io.js';
import { run } from './run.js';

const interrupt = new AbortController();
// Once: a second Ctrl-C ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());

const sink = (stream: NodeJS.WriteStream): Sink => {
  // `adaosctl … | head` closes the pipe: that is no failure of ours.
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    write: (text) => void stream.write(text),
    get columns() {
      return stream.isTTY ? stream.columns || 80 : undefined;
    },
  };
};

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  now: () => Date.now(),
  signal: interrupt.signal,
  sleep: (ms) => sleep(ms, undefined, { signal: interrupt.signal }).catch(() => undefined),
  newRequestId: () => `cli-${randomUUID()}`,
});
