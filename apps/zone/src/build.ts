// esbuild replaces both names (tools/bootstrap/build.mjs); run from source they are what a checkout is.
declare const __VERSION__: string | undefined;
declare const __COMMIT__: string | undefined;

/** What this build is, as `get_foundation` tells it. */
export const BUILD = {
  version: typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0',
  commit: typeof __COMMIT__ === 'string' ? __COMMIT__ : 'source',
};
