import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT, textOf } from './sources.js';

/** Services; the others are programs with a shape of their own. */
const OTHERS = ['zone', 'zone-e2e', 'cli', 'console'];
const services = readdirSync(join(ROOT, 'apps')).filter((app) => !OTHERS.includes(app));

describe('every service has the shape that the generator stamps', () => {
  test('the services are those of the architecture', () => {
    expect(services.sort()).toEqual([
      'agent',
      'audit',
      'descriptor',
      'policy',
      'router',
      'session',
      'zonal-facade',
    ]);
  });

  test.each(services)('%s', async (app) => {
    const { projectFiles } = (await import('../generators/project.mjs')) as {
      projectFiles: (kind: string, name: string) => Record<string, string>;
    };
    const stamped = Object.keys(projectFiles('app', app));
    expect(stamped).toEqual(
      expect.arrayContaining([
        'src/main.ts',
        'src/module.ts',
        'src/config.ts',
        'src/handlers.ts',
        'package.json',
      ]),
    );
    expect(stamped.filter((file) => !existsSync(join(ROOT, 'apps', app, file)))).toEqual([]);
    const manifest = JSON.parse(textOf(`apps/${app}/package.json`)) as { exports: Record<string, string> };
    expect(manifest.exports).toEqual({ './module': './src/module.ts' });
    // main.ts only starts: settings, connections, the module.
    const lines = textOf(`apps/${app}/src/main.ts`)
      .split('\n')
      .filter((line) => line.trim() && !/^(import|\/\/)/.test(line.trim()));
    expect([app, lines.length <= 16]).toEqual([app, true]);
    expect(textOf(`apps/${app}/src/module.ts`)).toMatch(/export const \w+: Module</);
  });
});
