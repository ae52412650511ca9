import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(new URL('../..', import.meta.url).pathname);

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.nx', '.zone', 'coverage']);

/** Every source file of ours below a folder, as paths from the root. Read as text: no cached graph can hide one. */
export function sources(folder: string, extension = /\.(ts|tsx|mjs)$/): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sources(path, extension);
    return extension.test(entry.name) ? [relative(ROOT, join(ROOT, path))] : [];
  });
}

export const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Module specifiers a file imports, statically or not. */
export const importsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:from\s+|import\s*\(\s*|import\s+|require\s*\(\s*)['"]([^'"]+)['"]/g)].map(
    (match) => match[1]!,
  );

export const isTest = (path: string) =>
  /\.(test|suite|fixture)\.tsx?$|\/(suite|fixtures|e2e)\/|apps\/zone-e2e\/|libs\/testing\//.test(path);
