import { relative } from 'node:path';
import { canInstall, installPackage } from './apt.mjs';
import { composeUp } from './compose.mjs';
import { PROBES } from './probe.mjs';
import { ServiceError } from './service-error.mjs';
import { forget, isAlive, noteProcess, noteStarted, servicesDir, startedBefore } from './started.mjs';
import { isLocal, placeOf, SERVICES } from './table.mjs';

const CONTAINER_MS = 60_000;

/**
 * Makes one service answer. Means, in this order: it answers already; a program of this machine; as root its Debian package; compose.
 * @param {'nats' | 'redis' | 'postgres'} name
 * @returns {Promise<{ ok: boolean, host: string, port: number, line: string }>} `line` says what was found or done, or how to get it
 */
export async function bringUp(name, env = process.env) {
  const service = SERVICES[name];
  const { host, port, given } = placeOf(service, env);
  const at = `${host}:${port}`;
  const answer = (ok, line) => ({ ok, host, port, line });
  const found = await PROBES[name](host, port);
  if (found === 'ready') return answer(true, `answering already at ${at}`);
  if (found !== 'absent')
    return answer(false, `${at}: ${found.unfit}; set ${service.variable} to another server`);
  if (given && !isLocal(host))
    return answer(false, `nothing answers at ${at}, which ${service.variable} names`);

  const dir = servicesDir(env);
  const tried = [];
  const local = () => startLocally(name, port, dir).catch((error) => (tried.push(reasonOf(error)), null));
  const started = (await local()) ?? (await afterInstall(service, tried, local));
  if (started)
    return answer(true, `started, pid ${started.pid}, data in ${relative('.', started.dir) || started.dir}`);

  const refused = port === service.port ? composeUp(name) : 'compose serves the standard port only';
  if (refused === null && (await comesUp(name, host, port))) {
    noteStarted(dir, name, { kind: 'container' });
    return answer(true, `started in a container at ${at} (deploy/compose/services.yaml)`);
  }
  return answer(
    false,
    `not there: ${tried[0]} Or run it with compose (${refused ?? 'it started but does not answer'}), or set ${service.variable}.`,
  );
}

const reasonOf = (error) => {
  if (!(error instanceof ServiceError)) throw error;
  return error.message;
};

async function startLocally(name, port, services_dir) {
  const { start, signal } = SERVICES[name];
  const before = startedBefore(services_dir, name);
  if (before && isAlive(before))
    throw new ServiceError(`pid ${before.pid}, started before, runs but does not answer.`);
  forget(services_dir, name);
  const server = await start({ port, dir: `${services_dir}/${name}`, detached: true });
  noteProcess(services_dir, name, server.pid, signal);
  return server;
}

/** Only for a program that isn't there: one that doesn't start won't start after an installation either. */
async function afterInstall(service, tried, local) {
  if (!tried[0]?.includes('is not installed') || !canInstall()) return null;
  process.stderr.write(`  installing the Debian package ${service.debian}\n`);
  const refused = installPackage(service.debian);
  if (refused === null) return local();
  tried[0] = `${service.debian} could not be installed (${refused}).`;
  return null;
}

async function comesUp(name, host, port) {
  for (const deadline = Date.now() + CONTAINER_MS; Date.now() < deadline;) {
    if ((await PROBES[name](host, port)) === 'ready') return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}
