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
      nx: { tags },
    }),
    'tsconfig.json': json({
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        rootDir: 'src',
        outDir: `../../dist/types/${kind}s/${name}`,
        tsBuildInfoFile: `../../dist/types/${kind}s/${name}.tsbuildinfo`,
      },
      include: ['src/**/*.ts'],
      references: [],
    }),
    'jest.config.cjs': `module.exports = { ...require('../../jest.preset.cjs'), displayName: '${name}' };\n`,
  };
  if (kind === 'app') Object.assign(files, appFiles(name));
  return files;
}

function appFiles(name) {
  const ident = name.replace(/-(\w)/g, (_, c) => c.toUpperCase());
  return {
    'src/config.ts': `import { Type, type Static } from 'typebox';\n\n/** Settings of the ${name} service, read once from the environment. */\nexport const Config = Type.Object({});\nexport type Config = Static<typeof Config>;\n`,
    'src/handlers.ts': `/** Subject verb → function. The whole public face of the ${name} service. */\nexport const handlers = {};\n`,
    'src/module.ts': `import { handlers } from './handlers.js';\n\n/** The ${name} service as a value: started by main.ts alone, or by apps/zone with the others. */\nexport const ${ident} = { name: '${name}', handlers };\n`,
    'src/main.ts': `import { ${ident} } from './module.js';\n\nconsole.log(${ident}.name);\n`,
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
