// esbuild replaces it (tools/bootstrap/build.mjs); run from source it is what a checkout is.
declare const __VERSION__: string | undefined;

/** Version of this build. */
export const VERSION = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0';
