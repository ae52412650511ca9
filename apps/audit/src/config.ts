import { StoreSettings } from '@adaos/runtime';
import { Type } from 'typebox';

/** Settings of the audit service, read once from the environment. */
export const Config = Type.Object({ ...StoreSettings });
