import { CONFIG_CLIENTS, Envelope, ERRORS, ErrorShape, findTool } from '@adaos/contracts';
import { ROUTES, type ResourceRoute, type View } from '../handlers.js';
import { MCP_PATH } from '../paths.js';
import { VERSION } from '../version.js';
import { pathNames } from './arguments.js';
import { CALL_PATH, CallBody } from './call.js';
import { CLIENT_CONFIG_PATH } from './client-config.js';

type Json = Record<string, unknown>;

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

let made: Json | undefined;

/** OpenAPI 3.1 of the REST face, made from the route table and the tool contracts (D7). */
export function openApi(): Json {
  return (made ??= plain({
    openapi: '3.1.0',
    info: { title: 'AdaOS Root MCP', version: VERSION },
    security: [{ bearer: [] }],
    paths: paths(),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Envelope, Error: errorSchema() },
      responses: {
        Error: { description: 'Refused or failed; the code says why.', content: jsonOf(ref('Error')) },
      },
    },
  }));
}

function paths(): Json {
  const all: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json) => {
    const key = path.replace(/:(\w+)/g, '{$1}');
    all[key] = {
      ...all[key],
      [method]: { ...operation, responses: withErrors(operation['responses'] as Json) },
    };
  };
  for (const route of ROUTES) add(route.path, route.method, resource(route));
  add(CALL_PATH, 'post', {
    summary: 'Call any tool by id',
    requestBody: { required: true, content: jsonOf(CallBody) },
    responses: ok(ref('Envelope'), 'What came of it; a refusal by policy has ok: false.'),
  });
  const client = {
    name: 'client',
    in: 'query',
    required: true,
    schema: { type: 'string', enum: CONFIG_CLIENTS },
  };
  add(CLIENT_CONFIG_PATH, 'get', {
    summary: 'Configuration of an MCP client, without the bearer',
    parameters: [pathParameter('session_id'), client],
    responses: ok({ type: 'object', properties: { file: {}, format: {}, text: { type: 'string' } } }),
  });
  add(MCP_PATH, 'post', {
    summary: 'MCP streamable HTTP, 2026-07-28 and 2025-03-26 to 2025-11-25',
    requestBody: { required: true, content: jsonOf({ type: 'object' }) },
    responses: ok({ type: 'object' }, 'A JSON-RPC response.'),
  });
  return all;
}

function resource(route: ResourceRoute): Json {
  const contract = findTool(route.tool_id)!.contract;
  const input = contract.input_schema as unknown as ObjectSchema;
  const in_path = pathNames(route);
  const others = Object.entries(input.properties).filter(([name]) => !in_path.includes(name));
  const required = (input.required ?? []).filter((name) => !in_path.includes(name));
  const query = others.map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const body = {
    type: 'object',
    properties: Object.fromEntries(others),
    required,
    additionalProperties: false,
  };
  return {
    operationId: `${route.method}${route.path.slice(MCP_PATH.length).replace(/[^A-Za-z]+/g, '_')}`,
    summary: route.summary,
    description: `Calls ${route.tool_id}.`,
    parameters: [...in_path.map(pathParameter), ...(route.method === 'get' ? query : [])],
    ...(route.method === 'post' && { requestBody: { required: required.length > 0, content: jsonOf(body) } }),
    responses: ok(answerSchema(contract.output_schema as unknown as ObjectSchema, route.view)),
  };
}

const IDS = {
  ok: { const: true },
  request_id: { type: 'string' },
  trace_id: { type: 'string' },
  audit_event_id: { type: ['string', 'null'] },
};

/** The result beside the ids, cut as the route's view cuts it. */
function answerSchema({ properties }: ObjectSchema, view?: View): Json {
  const shown =
    !view || 'fill' in view
      ? properties
      : 'only' in view
        ? Object.fromEntries(view.only.map((name) => [name, properties[name]]))
        : { [view.as]: (properties[view.entry_of] as { items?: Json } | undefined)?.items ?? {} };
  return { type: 'object', properties: { ...IDS, ...shown } };
}

function errorSchema(): Json {
  const { message, details } = ErrorShape.properties;
  const error = { type: 'object', properties: { code: { enum: Object.keys(ERRORS) }, message, details } };
  return {
    type: 'object',
    properties: { ...IDS, ok: { const: false }, error },
    required: ['ok', 'error', 'request_id', 'trace_id'],
  };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const jsonOf = (schema: unknown) => ({ 'application/json': { schema } });
const ok = (schema: unknown, description = 'The result.') => ({
  200: { description, content: jsonOf(schema) },
});
const withErrors = (responses: Json) => ({ ...responses, default: { $ref: '#/components/responses/Error' } });
const pathParameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

// Field classes are ours alone, and typebox keeps hidden keys that must not survive a copy.
const plain = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'x-class' ? undefined : member)),
  ) as Json;
