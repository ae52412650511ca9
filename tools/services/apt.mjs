// Debian packages, installed as root without starting what they bring: we start servers of our own, on data of our own.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findBinary } from './binary.mjs';

/** invoke-rc.d asks this program; 101 forbids every start. */
const POLICY = '/usr/sbin/policy-rc.d';
/** Without it the package would make a cluster that nobody uses. */
const NO_CLUSTER = ['/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n'];

export const canInstall = () => process.getuid?.() === 0 && findBinary('apt-get') !== null;

/** @returns {string | null} why it failed, in a few words; null: installed */
export function installPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => spawnSync('apt-get', args, { env, encoding: 'utf8' });
  const install = () =>
    run('install', '-y', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold', name);
  const policy_is_ours = !existsSync(POLICY);
  if (policy_is_ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const asked = name === 'postgresql' && existsSync('/etc/postgresql-common') && !existsSync(NO_CLUSTER[0]);
  if (asked) writeFileSync(...NO_CLUSTER);
  try {
    let { status, stderr } = install();
    // A fresh image has no package lists.
    if (status !== 0 && run('update').status === 0) ({ status, stderr } = install());
    if (status === 0) return null;
    return (
      stderr
        .trim()
        .split('\n')
        .find((line) => line.startsWith('E:'))
        ?.slice(3) ?? `apt-get ended with ${status}`
    );
  } finally {
    if (policy_is_ours) rmSync(POLICY);
  }
}
