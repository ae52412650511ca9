import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SERVER_NAME_MAX } from '../client-config.js';
import { PROFILES } from '../profiles.js';
import { TOOL_CONTRACTS, toolsFor } from './registry.js';

// What one client or another breaks on in a tool list; docs/guides/connect-a-client.md says which were measured.
type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every schema inside a schema, with its path. Names of properties are not keywords, so the walk knows where schemas are. */
function* nodes(schema: Node, path = ''): Generator<[string, Node]> {
  yield [path, schema];
  for (const map of ['properties', 'patternProperties'])
    for (const [name, child] of Object.entries((schema[map] ?? {}) as Node))
      yield* nodes(child as Node, `${path}/${name}`);
  for (const key of ['items', 'additionalProperties'])
    if (isNode(schema[key])) yield* nodes(schema[key], `${path}/${key}`);
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    for (const [i, child] of ((schema[key] ?? []) as Node[]).entries())
      yield* nodes(child, `${path}/${key}/${i}`);
}

/** Faults of one kind over all tools, as `tool path`; a test expects none. */
const faults = (which: 'input_schema' | 'output_schema', isFault: (node: Node, path: string) => boolean) =>
  TOOL_CONTRACTS.flatMap((contract) =>
    [...nodes(contract[which])]
      .filter(([path, node]) => isFault(node, path))
      .map(([path]) => `${contract.tool_id} ${path}`),
  );
const has = (node: Node, keys: readonly string[]) => keys.some((key) => Object.hasOwn(node, key));

describe('published input schemas', () => {
  test('no combinators and no references anywhere: one at the top ends a whole session', () => {
    const refused = [
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      'if',
      '$ref',
      '$defs',
      'definitions',
      '$schema',
      '$id',
    ];
    expect(faults('input_schema', (node) => has(node, refused))).toEqual([]);
    // Codex drops patternProperties and shows the model an object without content.
    expect(faults('input_schema', (node) => has(node, ['patternProperties', 'x-class']))).toEqual([]);
  });

  test('one type each, and objects closed, with their properties named', () => {
    expect(faults('input_schema', (node) => typeof node['type'] !== 'string')).toEqual([]);
    const open = (node: Node) =>
      node['type'] === 'object' && (node['additionalProperties'] !== false || !isNode(node['properties']));
    expect(faults('input_schema', open)).toEqual([]);
    expect(faults('input_schema', (node) => node['type'] === 'array' && !isNode(node['items']))).toEqual([]);
  });

  test('every property, also inside objects, is described', () => {
    // Not the root: the tool's own description is that. Nor the items of a list, which the list describes.
    const bare = (node: Node, path: string) =>
      path !== '' &&
      !path.endsWith('/items') &&
      !(typeof node['description'] === 'string' && node['description']);
    expect(faults('input_schema', bare)).toEqual([]);
  });

  test('enums are of strings', () => {
    const odd = (node: Node) =>
      node['enum'] !== undefined &&
      (node['type'] !== 'string' ||
        !(node['enum'] as unknown[]).every((v) => typeof v === 'string' && v !== ''));
    expect(faults('input_schema', odd)).toEqual([]);
    expect(faults('input_schema', (node) => Object.hasOwn(node, 'const'))).toEqual([]);
  });
});

describe('published output schemas', () => {
  test('are objects without a combinator at the root; a nullable field inside is the only union', () => {
    for (const { tool_id, output_schema } of TOOL_CONTRACTS) {
      expect([tool_id, output_schema['type']]).toEqual([tool_id, 'object']);
      expect([tool_id, has(output_schema, ['anyOf', 'oneOf', 'allOf'])]).toEqual([tool_id, false]);
    }
    const other = (node: Node) =>
      has(node, ['oneOf', 'allOf', '$ref', '$defs']) ||
      (node['anyOf'] !== undefined &&
        ((node['anyOf'] as Node[]).length !== 2 || (node['anyOf'] as Node[])[1]!['type'] !== 'null'));
    expect(faults('output_schema', other)).toEqual([]);
  });

  test('no schema in them accepts just anything: the Inspector reports those', () => {
    const keywords = (node: Node) => Object.keys(node).filter((key) => key !== 'description');
    expect(faults('output_schema', (node) => keywords(node).length === 0)).toEqual([]);
  });
});

describe('all published schemas', () => {
  // SDK v1 and VS Code read draft-07, SDK v2 and the specification 2020-12: only what means the same in both may be used.
  test.each([
    ['draft-07', () => new Ajv({ strictSchema: true, strictTypes: false, strictRequired: false })],
    ['2020-12', () => new Ajv2020({ strictSchema: true, strictTypes: false, strictRequired: false })],
  ])('compile as %s without an unknown keyword', (_, make) => {
    const ajv = make();
    for (const { input_schema, output_schema } of TOOL_CONTRACTS)
      for (const schema of [input_schema, output_schema]) expect(typeof ajv.compile(schema)).toBe('function');
  });
});

describe('published names', () => {
  const SERVER = 's'.repeat(SERVER_NAME_MAX);

  test('fit every client with the longest server name that we generate', () => {
    for (const { mcp_name } of TOOL_CONTRACTS) {
      // Cursor counts both together; hyphens and dots it rewrites, `__` it does not find.
      expect(mcp_name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(`${SERVER}${mcp_name}`.length).toBeLessThanOrEqual(60);
      // Codex replaces the end of a longer name by a hash; Claude Desktop refuses the chat.
      expect(`mcp__${SERVER}__${mcp_name}`.length).toBeLessThanOrEqual(64);
      expect(`mcp__${SERVER}__${mcp_name}`).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  });

  test('carry a title, a description and all four hints', () => {
    for (const { tool_id, title, summary, annotations } of TOOL_CONTRACTS) {
      expect([tool_id, title.length > 0, summary.length > 20]).toEqual([tool_id, true, true]);
      expect([tool_id, Object.entries(annotations).map(([k, v]) => [k, typeof v])]).toEqual([
        tool_id,
        ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].map((k) => [k, 'boolean']),
      ]);
    }
  });
});

describe('lists', () => {
  test.each(Object.values(PROFILES).map((profile) => [profile.profile_id, profile] as const))(
    '%s shows at most 30 tools, in at most 64 kB',
    (_, { capabilities }) => {
      const shown = TOOL_CONTRACTS.filter((c) => toolsFor(capabilities).includes(c.tool_id));
      expect(shown.length).toBeGreaterThan(0);
      expect(shown.length).toBeLessThanOrEqual(30);
      expect(JSON.stringify(shown.map((c) => [c.summary, c.input_schema])).length).toBeLessThanOrEqual(
        65_536,
      );
    },
  );
});
