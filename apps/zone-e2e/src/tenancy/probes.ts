import { findTool, PROMPTS, RESOURCE_KINDS, TOOL_CONTRACTS, uriOf, variableOf } from '@adaos/contracts';
import { mcpRequest, TASKS, type Era, type Sent } from '../door.js';
import { namesSomething, type KnownIds } from './known-ids.js';
import { argumentsFor, sampleOf, type Schema } from './samples.js';

/** A way to ask for something by name: what is sent when its argument has a value. */
export interface Probe {
  readonly name: string;
  /** The argument that names something; null: a plain call with nothing named. */
  readonly argument: string | null;
  readonly tool_id: string | null;
  readonly send: (value: string) => Sent;
}

interface Operation {
  readonly description?: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Doors that take a tool by name: probed through TOOL_CONTRACTS, argument by argument. */
const GENERAL = new Set(['/v1/root/mcp', '/v1/root/mcp/call']);

/** Every route of the document, with each argument that names something, and once with none. */
export function routeProbes({ paths }: OpenApi, own: KnownIds): Probe[] {
  return Object.entries(paths)
    .filter(([path]) => !GENERAL.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => probesOf(path, method, operation, own)),
    );
}

function probesOf(path: string, method: string, operation: Operation, own: KnownIds): Probe[] {
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content['application/json']?.schema;
  const names = [...parameters.map((p) => p.name), ...Object.keys(body?.properties ?? {})];
  const tool_id = /^Calls (\S+)\.$/.exec(operation.description ?? '')?.[1] ?? null;
  const in_path = parameters.filter((p) => p.in === 'path').map((p) => p.name);

  const send = (argument: string | null, value: string): Sent => {
    const valueOf = (name: string, schema: Schema) =>
      name === argument ? listed(schema, value) : (own.get(name) ?? sampleOf(name, schema));
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(valueOf(name, { type: 'string' }))),
    );
    const query = new URLSearchParams(
      parameters
        .filter((p) => p.in === 'query' && (p.required || p.name === argument))
        .map((p): [string, string] => [p.name, String(valueOf(p.name, p.schema))]),
    );
    const members = body && { ...argumentsFor(body) };
    for (const name of Object.keys(body?.properties ?? {}))
      if (members && (name in members || name === argument))
        members[name] = valueOf(name, body!.properties![name]!);
    return {
      method: method.toUpperCase(),
      path: query.size > 0 ? `${filled}?${query}` : filled,
      ...(method !== 'get' && { body: members ?? {} }),
    };
  };
  const named = [...new Set(names.filter(namesSomething))];
  const plain = in_path.some(namesSomething) ? [] : [null];
  return [...plain, ...named].map((argument) => ({
    name: `${method.toUpperCase()} ${path}${argument === null ? '' : ` by ${argument}`}`,
    argument,
    tool_id,
    send: (value) => send(argument, value),
  }));
}

/** Every tool through every door that takes one by name. */
export function toolProbes(own: KnownIds): Probe[] {
  return TOOL_CONTRACTS.flatMap(({ tool_id, mcp_name, input_schema }) => {
    const { properties = {} } = input_schema as Schema;
    const args = (argument: string | null, value: string) => {
      const made = argumentsFor(input_schema as Schema);
      for (const name of Object.keys(made)) made[name] = own.get(name) ?? made[name];
      if (argument !== null) made[argument] = listed(properties[argument] ?? {}, value);
      // What does not pass the contract would be refused before anybody looks whose it is.
      findTool(tool_id)!.checkArguments(made);
      return made;
    };
    return [null, ...Object.keys(properties).filter(namesSomething)].flatMap((argument) => [
      ...(['legacy', 'modern'] as const).map((era) => ({
        name: `${era} tools/call ${mcp_name}${argument === null ? '' : ` by ${argument}`}`,
        argument,
        tool_id,
        send: (value: string) =>
          mcpRequest(era, 'tools/call', { name: mcp_name, arguments: args(argument, value) }),
      })),
      {
        name: `POST /call ${tool_id}${argument === null ? '' : ` by ${argument}`}`,
        argument,
        tool_id,
        send: (value: string) => ({
          method: 'POST',
          path: '/v1/root/mcp/call',
          body: { tool_id, arguments: args(argument, value) },
        }),
      },
    ]);
  });
}

/** Methods of MCP besides tools/call that name something or list something; those a build doesn't serve answer the same to all. */
export function methodProbes(): Probe[] {
  const plain = [
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'prompts/list',
    'tasks/list',
    'ping',
  ];
  const named: [method: string, argument: string, params: (value: string) => Record<string, unknown>][] = [
    ['tasks/get', 'task_id', (taskId) => ({ taskId })],
    ['tasks/result', 'task_id', (taskId) => ({ taskId })],
    ['tasks/cancel', 'task_id', (taskId) => ({ taskId })],
    ['tasks/update', 'task_id', (taskId) => ({ taskId, inputResponses: {} })],
    ['tools/list', 'cursor', (cursor) => ({ cursor })],
    ['resources/list', 'cursor', (cursor) => ({ cursor })],
    ['tools/call', 'request_id', (id) => ({ name: 'hub_get_status', _meta: { request_id: id } })],
    ['notifications/cancelled', 'request_id', (requestId) => ({ requestId })],
  ];
  const eras: readonly Era[] = ['legacy', 'modern'];
  return eras.flatMap((era) => [
    ...plain.map((method) => ({
      name: `${era} ${method}`,
      argument: null,
      tool_id: null,
      send: () => mcpRequest(era, method),
    })),
    ...named.map(([method, argument, params]) => ({
      name: `${era} ${method} by ${argument}`,
      argument,
      tool_id: null,
      send: (value: string) =>
        mcpRequest(era, method, params(value), 1, method.startsWith('tasks/') ? TASKS : {}),
    })),
  ]);
}

/** Every kind of resource that is named by an id, read and completed; every argument of a prompt that names something, completed. */
export function resourceProbes(): Probe[] {
  const complete = (tool_id: string | null, ref: object, name: string): Probe => ({
    name: `completion/complete ${JSON.stringify(ref)} by ${name}`,
    argument: name,
    tool_id,
    send: (value) => mcpRequest('legacy', 'completion/complete', { ref, argument: { name, value } }),
  });
  const kinds = RESOURCE_KINDS.flatMap((kind) => {
    const variable = variableOf(kind);
    if (variable === null || !namesSomething(variable)) return [];
    return [
      ...(['legacy', 'modern'] as const).map((era) => ({
        name: `${era} resources/read ${kind.uri}`,
        argument: variable,
        tool_id: kind.tool_id,
        send: (value: string) => mcpRequest(era, 'resources/read', { uri: uriOf(kind, value) }),
      })),
      // What can't be read can't be listened to: the stream ends at once, having promised nothing.
      ...(kind.changes
        ? [
            {
              name: `subscriptions/listen ${kind.uri}`,
              argument: variable,
              tool_id: kind.tool_id,
              send: (value: string) =>
                mcpRequest('modern', 'subscriptions/listen', {
                  notifications: { resourceSubscriptions: [uriOf(kind, value)] },
                }),
            },
          ]
        : []),
      complete(kind.tool_id, { type: 'ref/resource', uri: kind.uri }, variable),
    ];
  });
  const prompts = PROMPTS.flatMap((prompt) =>
    prompt.arguments.map(({ name }) => ({
      ...complete(prompt.needs[0] ?? null, { type: 'ref/prompt', name: prompt.name }, name),
      // What a tenant calls its services and refs is its own too: any of its names will do.
      argument: namesSomething(name) ? name : 'target_id',
    })),
  );
  return [...kinds, ...prompts];
}

/** What a header may claim, on a read of each door. */
export function headerProbes(): Probe[] {
  const doors: [string, Sent][] = [
    ['GET /targets', { method: 'GET', path: '/v1/root/mcp/targets' }],
    [
      'POST /call',
      { method: 'POST', path: '/v1/root/mcp/call', body: { tool_id: 'hub.get_status', arguments: {} } },
    ],
    ['tools/call', mcpRequest('legacy', 'tools/call', { name: 'hub_get_status', arguments: {} })],
    ['tools/list', mcpRequest('modern', 'tools/list')],
  ];
  const headers: [string, string][] = [
    ['x-adaos-subnet-id', 'subnet_id'],
    ['x-adaos-target-id', 'target_id'],
    ['mcp-session-id', 'session_id'],
  ];
  return doors.flatMap(([door, sent]) =>
    headers.map(([header, argument]) => ({
      name: `${door} with ${header}`,
      argument,
      tool_id: 'hub.get_status',
      send: (value: string) => ({ ...sent, headers: { ...sent.headers, [header]: value } }),
    })),
  );
}

const listed = (schema: Schema, value: string): unknown => (schema.type === 'array' ? [value] : value);
