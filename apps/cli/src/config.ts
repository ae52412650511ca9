import { pub, secret } from '@adaos/contracts';
import { ConfigError, loadConfig } from '@adaos/runtime';
import { Type, type Static } from 'typebox';
import { usage } from './failure.js';

/** What the command reads of its environment. */
export const Config = Type.Object({
  ADAOS_URL: Type.Optional(pub(Type.String({ description: 'Root URL of the zone.', minLength: 1 }))),
  ADAOS_TOKEN: Type.Optional(
    secret(Type.String({ description: 'Operator token or bearer of a lease.', minLength: 1 })),
  ),
  ZONE_DATA_DIR: Type.Optional(
    pub(
      Type.String({
        description: 'Data folder of a zone on this machine, as npm start has it.',
        minLength: 1,
      }),
    ),
  ),
  NO_COLOR: Type.Optional(pub(Type.String({ description: 'Set to anything: no colour.' }))),
  TERM: Type.Optional(pub(Type.String({ description: 'dumb: no colour.' }))),
});
export type Config = Static<typeof Config>;

/** The settings, or a usage failure that names every bad one. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Readonly<Config> {
  try {
    return loadConfig(Config, env);
  } catch (error) {
    if (error instanceof ConfigError) throw usage(`${error.problems.join('; ')}.`);
    throw error;
  }
}
