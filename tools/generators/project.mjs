// Stamps a project folder: `node tools/generators/project.mjs lib redact` / `app router`. The app shape is held by a test.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';

const SIDES = { agent: 'target', 'zonal-facade': 'root' };

/** The files every project has, keyed by path inside the project. */
export function projectFiles(kind, name) {
  const tags = [
    `type:${kind}`,
    `scope:${name}`,
    `side:${kind === 'lib' ? 'shared' : (SIDES[name] ?? 'root')}`,
  ];
  const files = {
    'package.json': json({
      name: `@adaos/${name}`,
      version: '0.1.0',
      private: true,
      type: 'module',
      exports: kind === 'lib' ? { '.': './src/index.ts' } : { './module': './src/module.ts' },
      nx: { tags, targets: { lint: {}, typecheck: {}, test: {} } },
    }),
    'tsconfig.json': json({
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        rootDir: 'src',
        outDir: `../../dist/types/${kind}s/${name}`,
        tsBuildInfoFile: `../../dist/types/${kind}s/${name}.tsbuildinfo`,
      },
      include: ['src/**/*.ts'],
      references:
        kind === 'app' ? ['contracts', 'bus', 'runtime'].map((lib) => ({ path: `../../libs/${lib}` })) : [],
    }),
    'jest.config.cjs': `module.exports = { ...require('../../jest.preset.cjs'), displayName: '${name}' };\n`,
  };
  if (kind === 'app') Object.assign(files, appFiles(name));
  return files;
}

/** A service that starts, serves nothing yet, drains and stops: fill in handlers.ts (subjects of libs/contracts/src/subjects.ts). */
function appFiles(name) {
  const ident = name.replace(/-(\w)/g, (_, c) => c.toUpperCase());
  return {
    'src/config.ts': `import { Type } from 'typebox';

/** Settings of the ${name} service, read once from the environment. */
export const Config = Type.Object({});
`,
    'src/handlers.ts': `import type { BaseDeps, HandlerTable } from '@adaos/runtime';

/** Subject → function. The whole public face of the ${name} service. */
export const handlers = (_deps: BaseDeps): HandlerTable => ({});
`,
    'src/module.ts': `import { serveAll, type BaseDeps, type Module } from '@adaos/runtime';
import { handlers } from './handlers.js';

/** The ${name} service as a value: main.ts runs it alone, apps/zone with the others. */
export const ${ident}: Module = {
  name: '${name}',
  async start(deps: BaseDeps) {
    return serveAll(deps.bus, '${name}', handlers(deps));
  },
};
`,
    'src/main.ts': `import { runService } from '@adaos/runtime/service';
import { Config } from './config.js';
import { ${ident} } from './module.js';

void runService(${ident}, 'service', Config, async () => ({ deps: {} }));
`,
  };
}

const json = (value) => JSON.stringify(value, null, 2) + '\n';

function stamp(kind, name) {
  for (const [path, text] of Object.entries(projectFiles(kind, name))) {
    const file = `${kind}s/${name}/${path}`;
    if (existsSync(file)) continue;
    mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true });
    writeFileSync(file, text);
    console.log(`created ${file}`);
  }
}

if (process.argv[1]?.endsWith('project.mjs')) {
  const [kind, name] = process.argv.slice(2);
  if (!['app', 'lib'].includes(kind) || !/^[a-z][a-z0-9-]*$/.test(name ?? '')) {
    console.error('usage: node tools/generators/project.mjs <app|lib> <kebab-name>');
    process.exit(2);
  }
  stamp(kind, name);
}
