import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importsOf, isTest, ROOT, sources, textOf } from './sources.js';

const LIBS: Record<string, string[]> = {
  contracts: [],
  bus: ['contracts'],
  store: ['contracts'],
  limits: ['contracts'],
  permit: ['contracts'],
  'policy-engine': ['contracts'],
  redact: ['contracts'],
  runtime: ['contracts', 'bus'],
  testing: ['contracts', 'bus', 'store', 'limits', 'permit', 'redact', 'runtime'],
};
/** What runs on the hub: nothing that knows root's database or limits. */
const TARGET_SIDE = ['contracts', 'bus', 'runtime', 'permit', 'redact'];
const CONSOLE = 'console';

const code = [...sources('apps'), ...sources('libs')].filter((path) => !isTest(path));
const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
const ours = (path: string) =>
  importsOf(path).flatMap((s) => /^@adaos\/([a-z-]+)(\/[a-z/-]+)?$/.exec(s)?.slice(1, 3) ?? []);
const projectsOf = (path: string) => importsOf(path).flatMap((s) => /^@adaos\/([a-z-]+)/.exec(s)?.[1] ?? []);

describe('layering, read from the text of every file', () => {
  test('there is code to read', () => {
    expect(code.length).toBeGreaterThan(60);
    expect(ours('apps/zone/src/zone.ts')).toContain('/module');
  });

  test('a library imports only the libraries below it', () => {
    const wrong = code.flatMap((path) => {
      const [top, name] = path.split('/');
      if (top !== 'libs') return [];
      return projectsOf(path)
        .filter((p) => p !== name && !LIBS[name!]?.includes(p))
        .map((p) => `${path} → ${p}`);
    });
    expect(wrong).toEqual([]);
  });

  test('an app imports libraries only; the zone alone imports modules of apps', () => {
    const apps = readdirSync(join(ROOT, 'apps'));
    const wrong = code
      .filter((path) => path.startsWith('apps/'))
      .flatMap((path) =>
        importsOf(path)
          .filter((s) => {
            const [, project, rest] = /^@adaos\/([a-z-]+)(.*)$/.exec(s) ?? [];
            if (!project) return /^\.\.\/\.\.\/\.\.\/(apps|libs)\//.test(s);
            if (LIBS[project]) return false;
            return !(path.startsWith('apps/zone/') && apps.includes(project) && rest === '/module');
          })
          .map((s) => `${path} → ${s}`),
      );
    expect(wrong).toEqual([]);
  });

  test('code of the hub reaches no root-side library', () => {
    const wrong = code
      .filter((path) => path.startsWith('apps/agent/'))
      .flatMap((path) =>
        projectsOf(path)
          .filter((p) => !TARGET_SIDE.includes(p))
          .map((p) => `${path} → ${p}`),
      );
    expect(wrong).toEqual([]);
  });

  test('libs/testing is imported by tests only', () => {
    expect(code.filter((path) => projectsOf(path).includes('testing'))).toEqual([]);
  });

  test('processes are started only where D11 allows it', () => {
    const allowed = /^(apps\/agent\/src\/(adapters|supervisor)\/|libs\/store\/src\/embedded)/;
    expect(
      code.filter(
        (path) => /^(node:)?child_process$|^execa$/.test(importsOf(path).join('\n')) && !allowed.test(path),
      ),
    ).toEqual([]);
    const importing = code.filter((path) =>
      importsOf(path).some((s) => /^(node:)?child_process$|^execa$/.test(s)),
    );
    expect(importing.filter((path) => !allowed.test(path))).toEqual([]);
  });

  test('the environment is read at the edge only', () => {
    const allowed =
      /\/main\.ts$|\/config\.ts$|^apps\/console\/vite\.config\.ts$|^libs\/runtime\/src\/service\.ts$/;
    const reading = code.filter(
      (path) => /process\.env\b|process\[['"]env/.test(textOf(path)) && !allowed.test(path),
    );
    // The supervisor hands children a few named variables; it must read them somewhere, and nothing else there may.
    expect(reading.filter((path) => !path.startsWith('apps/agent/src/supervisor/'))).toEqual([]);
  });

  test('nothing is evaluated and no shell is used', () => {
    const evil = /\beval\s*\(|new Function\s*\(|shell:\s*true|['"]\/bin\/(ba)?sh['"]/;
    expect(code.filter((path) => evil.test(textOf(path)))).toEqual([]);
  });

  test('files stay within 300 lines and names say what is inside', () => {
    expect(code.filter((path) => textOf(path).split('\n').length > 301)).toEqual([]);
    expect(
      code.filter((path) => /\/(utils?|helpers?|common|misc|manager|base|impl)\.tsx?$/.test(path)),
    ).toEqual([]);
  });

  test('every project folder is a workspace with tags and its own jest and TypeScript settings', () => {
    for (const folder of new Set(code.map(folderOf))) {
      if (folder === `apps/${CONSOLE}`) continue;
      const files = readdirSync(join(ROOT, folder));
      expect([
        folder,
        files.includes('package.json'),
        files.includes('tsconfig.json'),
        files.includes('jest.config.cjs'),
      ]).toEqual([folder, true, true, true]);
      const manifest = JSON.parse(textOf(`${folder}/package.json`)) as {
        name: string;
        nx: { tags: string[] };
      };
      expect(manifest.name).toBe(`@adaos/${folder.split('/')[1]}`);
      expect(manifest.nx.tags).toEqual(expect.arrayContaining([`scope:${folder.split('/')[1]}`]));
    }
  });
});
