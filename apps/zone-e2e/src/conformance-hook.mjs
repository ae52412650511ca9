// The pinned conformance suite imports globSync from node:fs, which Node 20 lacks; it uses it for one optional listing only.
// Used as `node --import ./conformance-hook.mjs`; on Node 22 and later it changes nothing.
import * as fs from 'node:fs';
import { register } from 'node:module';

if (!('globSync' in fs))
  register(
    `data:text/javascript,${encodeURIComponent(`
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!/conformance\\/dist\\/index\\.js$/.test(url)) return loaded;
    const source = String(loaded.source);
    const name = source.match(/globSync as ([\\w$]+),?/);
    if (!name) return loaded;
    const [shebang] = source.match(/^#!.*\\n/) ?? [''];
    const rest = source.slice(shebang.length).replace(name[0], '');
    return { ...loaded, source: shebang + 'const ' + name[1] + ' = () => [];' + rest, shortCircuit: true };
  }`)}`,
    import.meta.url,
  );
