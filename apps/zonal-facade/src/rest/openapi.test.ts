import { expect, test } from '@jest/globals';
import { ROUTES } from '../handlers.js';
import { openApi } from './openapi.js';
import { propertiesOf } from './arguments.js';
import { TOOL_CONTRACTS } from '@adaos/contracts';

const doc = openApi() as any;

test('every row of the table is a documented operation with the arguments of its tool', () => {
  for (const route of ROUTES) {
    const operation = doc.paths[route.path.replace(/:(\w+)/g, '{$1}')][route.method];
    expect(operation.description).toContain(route.tool_id);
    const named = operation.parameters.map((p: { name: string }) => p.name);
    const body = Object.keys(operation.requestBody?.content['application/json'].schema.properties ?? {});
    const wanted = Object.keys(propertiesOf(route.tool_id));
    expect([...named, ...body].sort()).toEqual([...new Set([...wanted, ...pathOf(route.path)])].sort());
  }
});

test('a view shows what the route answers', () => {
  const schema = (path: string) =>
    doc.paths[`/v1/root/mcp${path}`].get.responses[200].content['application/json'].schema;
  expect(Object.keys(schema('/planes').properties)).toEqual([
    'ok',
    'request_id',
    'trace_id',
    'audit_event_id',
    'planes',
  ]);
  expect(schema('/sessions/{session_id}').properties.session.properties.session_id).toEqual({
    type: 'string',
    maxLength: 64,
  });
});

test('operation ids are unique, no field class shows', () => {
  const ids = Object.values(doc.paths).flatMap((path: any) =>
    Object.values(path).map((o: any) => o.operationId),
  );
  const named = ids.filter(Boolean);
  expect(new Set(named).size).toBe(named.length);
  expect(JSON.stringify(doc)).not.toContain('x-class');
});

// queryArguments reads these; another type in a query would have to be taught to it.
test('every query argument is text, an integer or a boolean', () => {
  for (const route of ROUTES.filter((r) => r.method === 'get')) {
    for (const [name, schema] of Object.entries(propertiesOf(route.tool_id))) {
      expect([route.path, name, schema.type]).toEqual([
        route.path,
        name,
        expect.stringMatching(/^(string|integer|boolean)$/),
      ]);
    }
  }
});

test('every row names a tool of this build', () => {
  const known = new Set(TOOL_CONTRACTS.map((c) => c.tool_id));
  expect(ROUTES.filter((route) => !known.has(route.tool_id))).toEqual([]);
});

const pathOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
