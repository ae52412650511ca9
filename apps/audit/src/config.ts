import { Type, type Static } from 'typebox';

/** Settings of the audit service, read once from the environment. */
export const Config = Type.Object({});
export type Config = Static<typeof Config>;
