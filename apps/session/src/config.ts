import { Type, type Static } from 'typebox';

/** Settings of the session service, read once from the environment. */
export const Config = Type.Object({});
export type Config = Static<typeof Config>;
