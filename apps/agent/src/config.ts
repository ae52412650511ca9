import { pub, secret } from '@adaos/contracts';
import { Type, type Static } from 'typebox';

/** Settings of the agent process, read once from the environment. What it runs on the hub stands in the file AGENT_CONFIG names. */
export const Config = Type.Object({
  AGENT_CONFIG: pub(Type.String({ minLength: 1, default: './agent.yaml' })),
  AGENT_DATA_DIR: pub(Type.String({ minLength: 1, default: './agent-data' })),
  ROOT_PUBLIC_KEY_FILE: pub(Type.String({ minLength: 1 })),
  ZONE: pub(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
  NATS_URL: pub(Type.String({ pattern: '^(nats|tls|ws|wss)://' })),
  NATS_USER: Type.Optional(pub(Type.String({ minLength: 1 }))),
  NATS_PASSWORD: Type.Optional(secret(Type.String({ minLength: 1 }))),
  LOG_LEVEL: pub(
    Type.Unsafe<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
      type: 'string',
      enum: ['debug', 'info', 'warn', 'error', 'silent'],
      default: 'info',
    }),
  ),
});
export type Config = Static<typeof Config>;

/** Variables that hold the agent's own secrets: no service may ask for them by env_allow. */
export const OWN_SECRETS: readonly string[] = ['NATS_PASSWORD'];
