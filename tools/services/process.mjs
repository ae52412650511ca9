// Starts one server process, waits until it answers, stops it. Knows a process again by pid and start time.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ServiceError } from './service-error.mjs';

const READY_MS = 20_000;
const POLL_MS = 20;
const STOP_MS = 10_000;

/** Children that must not outlive us. */
const attached = new Set();
process.on('exit', () => attached.forEach((child) => child.kill('SIGKILL')));

/**
 * @param {{ name: string, argv: string[], dir: string, answers: () => Promise<boolean>, env?: Record<string, string>,
 *   account?: { uid: number, gid: number } | undefined, detached?: boolean, stop_signal?: NodeJS.Signals }} options
 *   `dir` gets the log; a `detached` server goes on when we end.
 * @returns {Promise<{ pid: number, stop: () => Promise<void> }>}
 */
export async function launch({
  name,
  argv,
  dir,
  answers,
  env,
  account,
  detached = false,
  stop_signal = 'SIGTERM',
}) {
  mkdirSync(dir, { recursive: true });
  const log_file = join(dir, `${name}.log`);
  const log = openSync(log_file, 'w');
  const [file, ...args] = argv;
  const child = spawn(file, args, {
    stdio: ['ignore', log, log],
    detached,
    env: { ...process.env, ...env },
    ...account,
  });
  closeSync(log);
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  let is_over = false;
  void ended.then(() => {
    is_over = true;
    attached.delete(child);
  });
  if (detached) child.unref();
  else attached.add(child);

  const stop = async () => {
    if (is_over) return;
    child.kill(stop_signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  // A temporary directory goes with its log.
  const hint = detached ? ` (log: ${log_file})` : '';
  const failed = () => new ServiceError(`${name} did not start: ${lastLine(log_file)}${hint}`);
  const deadline = Date.now() + READY_MS;
  while (!(await answers())) {
    if (!is_over && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    await stop();
    throw failed();
  }
  // Something else may have answered on the port of a server that lost the race for it.
  if (is_over) throw failed();
  return { pid: child.pid, stop };
}

const lastLine = (file) => readFileSync(file, 'utf8').trim().split('\n').at(-1) || 'it said nothing';

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Without this a server that loses the port would look ready, answered for by the one that has it. */
const isTaken = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (taken) => () => resolve((socket.destroy(), taken));
    socket.once('connect', done(true)).once('error', done(false));
  });

/**
 * Starts on the given port, or on a free one for 0: taken meanwhile by another, another is tried.
 * @template T
 * @param {number} port
 * @param {(port: number) => Promise<T>} start
 * @returns {Promise<T>}
 */
export async function onPort(port, start) {
  if (port !== 0) {
    if (await isTaken(port)) throw new ServiceError(`port ${port} of 127.0.0.1 is taken already`);
    return start(port);
  }
  for (let tries_left = 3; ; tries_left -= 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (tries_left <= 1 || !/in use|bind/i.test(error.message)) throw error;
    }
  }
}

/** When a process started, as a text that differs for every process that ever had this pid. Null: there is none. */
export function startTimeOf(pid) {
  try {
    // The name stands in brackets and may hold spaces; start time is field 22 of all, 20th after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : fields[19];
  } catch {
    if (process.platform === 'linux') return null;
  }
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() ||
      null
    );
  } catch {
    return null;
  }
}
