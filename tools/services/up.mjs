// node tools/services/up.mjs [nats] [redis] [postgres]
// Starts what the split topology needs and this machine lacks; says in one line each what it found or did. Ends with 1 if one is missing.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bringUp } from './bring-up.mjs';
import { developmentDatabase } from './development-database.mjs';
import { ServiceError } from './service-error.mjs';
import { servicesDir } from './started.mjs';
import { SERVICES } from './table.mjs';

/** What programs that run the services set for them; the command writes it to `services.env`. */
async function settingsOf(name, { host, port }, env) {
  const { variable } = SERVICES[name];
  if (name === 'postgres') return [variable, await developmentDatabase(port, env)];
  return [variable, env[variable] || `${name}://${host}:${port}`];
}

/**
 * @param {readonly string[]} names
 * @returns {Promise<{ ok: boolean, settings: Record<string, string> }>}
 */
export async function up(names, { env = process.env, say = console.log } = {}) {
  const settings = {};
  let ok = true;
  for (const name of names) {
    const result = await bringUp(name, env);
    let { line } = result;
    try {
      if (result.ok) Object.assign(settings, Object.fromEntries([await settingsOf(name, result, env)]));
      ok &&= result.ok;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      line += `, but: ${error.message}`;
      ok = false;
    }
    say(`${name.padEnd(9)} ${line}`);
  }
  return { ok, settings };
}

if (process.argv[1]?.endsWith('up.mjs')) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !Object.hasOwn(SERVICES, name));
  if (unknown.length) {
    console.error(`usage: node tools/services/up.mjs [${Object.keys(SERVICES).join('] [')}]`);
    process.exit(2);
  }
  const { ok, settings } = await up(asked.length ? asked : Object.keys(SERVICES));
  const dir = servicesDir();
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'services.env');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  chmodSync(file, 0o600);
  console.log(`settings  ${relative('.', file)}`);
  process.exit(ok ? 0 : 1);
}
