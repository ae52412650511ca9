import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { conformanceTools } from './tools.js';
import { CONFORMANCE } from './contracts.js';

const ROOT = join(import.meta.dirname, '../..');
const FIXTURE = 'test_simple_text';

/** Files below a folder whose text names what only the test plane has. */
const naming = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/node_modules/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      return text.includes(FIXTURE) || text.includes("'test.simple_text'");
    });

describe('the conformance plane', () => {
  test('has a handler for every tool, and no other', () => {
    expect(Object.keys(conformanceTools(async () => {})).sort()).toEqual(
      CONFORMANCE.tools.map((contract) => contract.tool_id).sort(),
    );
  });

  test('stands in no source of the product, and in nothing an image is made of', () => {
    const product = [...naming('apps'), ...naming('libs'), ...naming('deploy'), ...naming('tools/bootstrap')];
    expect(product.filter((file) => !file.includes('zone-e2e'))).toEqual([]);
    // The image is built from what this file lets in.
    const context = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n');
    expect(context[1]).toBe('*');
    expect(context.filter((line) => line.startsWith('!') && /^!(\*|tools$|tools\/conf)/.test(line))).toEqual(
      [],
    );
  });
});
