import { pub } from '@adaos/contracts';
import { Type } from 'typebox';

/** Settings of the policy service, read once from the environment. */
export const Config = Type.Object({
  POLICY_DIR: pub(
    Type.String({
      description: 'Directory with schema.cedarschema and guard/*.cedar.',
      default: 'deploy/policies',
    }),
  ),
  PERMIT_KEY_FILE: pub(Type.String({ description: 'Ed25519 private key (PEM) that signs permits.' })),
});
