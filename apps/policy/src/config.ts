import { pub } from '@adaos/contracts';
import { StoreSettings } from '@adaos/runtime';
import { Type } from 'typebox';

/** Settings of the policy service, read once from the environment. */
export const Config = Type.Object({
  ...StoreSettings,
  POLICY_DIR: pub(
    Type.String({
      description: 'Directory with schema.cedarschema and guard/*.cedar.',
      default: 'deploy/policies',
    }),
  ),
  ZONE_POLICY_DIR: Type.Optional(
    pub(
      Type.String({
        description:
          'Directory with *.cedar files of the zone, in force beside its versions; read again when they change.',
        minLength: 1,
      }),
    ),
  ),
  POLICY_LAST_GOOD_FILE: Type.Optional(
    pub(
      Type.String({
        description:
          'Where the policies in force are kept for a start while the database is away; absent: such a start denies everything.',
        minLength: 1,
      }),
    ),
  ),
  PERMIT_KEY_FILE: pub(Type.String({ description: 'Ed25519 private key (PEM) that signs permits.' })),
});
