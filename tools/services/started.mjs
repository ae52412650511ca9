// Remembers what up.mjs started, so that down.mjs stops that and nothing else.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startTimeOf } from './process.mjs';

/** Where servers keep data, logs and these notes. */
export const servicesDir = (env = process.env) => resolve(env.SERVICES_DIR || '.zone/services');

const fileOf = (dir, name) => join(dir, `${name}.started.json`);

/**
 * @typedef {{ kind: 'process', pid: number, start_time: string, signal: NodeJS.Signals } | { kind: 'container' }} Started
 */

/** @param {string} dir @param {string} name @param {Started} started */
export function noteStarted(dir, name, started) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(fileOf(dir, name), JSON.stringify(started) + '\n');
}

export const noteProcess = (dir, name, pid, signal) =>
  noteStarted(dir, name, { kind: 'process', pid, start_time: startTimeOf(pid), signal });

/** @returns {Started | null} */
export function startedBefore(dir, name) {
  try {
    return JSON.parse(readFileSync(fileOf(dir, name), 'utf8'));
  } catch {
    return null;
  }
}

export const forget = (dir, name) => rmSync(fileOf(dir, name), { force: true });

/** Whether the process noted is still the one that has this pid. */
export const isAlive = (started) =>
  started.kind === 'process' && startTimeOf(started.pid) === started.start_time;
