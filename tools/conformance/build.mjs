// Builds the zone with the conformance plane, outside of dist/: what is deployed is made from dist/ and from sources it does not reach.
import { buildApps } from '../bootstrap/build.mjs';

export const OUTDIR = 'dist-conformance';

export const buildConformance = () =>
  buildApps({ entries: { main: 'tools/conformance/main.ts' }, outdir: OUTDIR });

if (process.argv[1]?.endsWith('conformance/build.mjs')) await buildConformance();
