import { pub } from '@adaos/contracts';
import { BusSettings, CommonSettings } from '@adaos/runtime';
import { Type, type Static } from 'typebox';

/** Settings of the agent process, read once from the environment. What it runs on the hub stands in the file AGENT_CONFIG names. */
export const Config = Type.Object({
  ...CommonSettings,
  ...BusSettings,
  AGENT_CONFIG: pub(Type.String({ minLength: 1, default: './agent.yaml' })),
  AGENT_DATA_DIR: pub(Type.String({ minLength: 1, default: './agent-data' })),
  ROOT_PUBLIC_KEY_FILE: pub(Type.String({ minLength: 1 })),
});
export type Config = Static<typeof Config>;

/** Variables that hold the agent's own secrets: no service may ask for them by env_allow. */
export const OWN_SECRETS: readonly string[] = ['NATS_PASSWORD'];
