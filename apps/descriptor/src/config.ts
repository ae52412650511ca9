import { pub } from '@adaos/contracts';
import { Type } from 'typebox';

/** Settings of the descriptor service, read once from the environment. */
export const Config = Type.Object({
  BUILD_VERSION: pub(Type.String({ description: 'Version shown by get_foundation.', default: '0.1.0' })),
  BUILD_COMMIT: pub(Type.String({ description: 'Commit shown by get_foundation.', default: 'unknown' })),
});
