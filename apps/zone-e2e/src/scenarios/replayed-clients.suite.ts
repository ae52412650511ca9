import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { CONFIG_CLIENTS } from '@adaos/contracts';
import { lease } from '../api.js';
import { configOf, given, listed, revoke, REVOKED } from '../clients/given.js';
import type { ZoneUnderTest } from '../zone-under-test.js';

// Neither runs without a screen and an account. What they send and how they read answers is replayed: VS Code's from its source
// (extHostMcp.ts, mcpConfiguration.ts), Cursor's from its documentation and from issues against other servers.

const VSCODE_FILE = {
  type: 'object',
  additionalProperties: false,
  required: ['servers', 'inputs'],
  properties: {
    inputs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'type', 'description'],
        properties: {
          id: { type: 'string' },
          type: { const: 'promptString' },
          description: { type: 'string' },
          default: { type: 'string' },
          password: { type: 'boolean' },
        },
      },
    },
    servers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'url'],
        properties: {
          type: { enum: ['http', 'sse'] },
          url: { type: 'string', pattern: '^https?:\\/\\/.+' },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
};
const CURSOR_FILE = {
  type: 'object',
  additionalProperties: false,
  required: ['mcpServers'],
  properties: {
    mcpServers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['url'],
        properties: {
          url: { type: 'string', pattern: '^https?:\\/\\/.+' },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
};

const initialize = (protocolVersion: string, name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } },
});

/** VS Code and Cursor, replayed. */
export const replayedClients = (zone: () => ZoneUnderTest): void => {
  /** One request with the headers a client sends and no others. */
  async function send(method: string, headers: Record<string, string>, body?: unknown, path?: string) {
    const url = path ? new URL(path, zone().connection().root_url) : zone().connection().mcp_url;
    const answer = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    const json = type.startsWith('application/json') ? (JSON.parse(text) as Record<string, any>) : {};
    return { status: answer.status, headers: answer.headers, type, text, json };
  }

  describe('VS Code, replayed', () => {
    const headers = (bearer: string) => ({
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'user-agent': 'Visual Studio Code/1.125.0',
    });

    test('the generated file keeps to its schema, and asks for the bearer as a password', async () => {
      const { config, server_name } = await given(zone(), 'vscode');
      const file = JSON.parse(config.text) as Record<string, any>;
      expect(config.file).toBe('.vscode/mcp.json');
      expect(new Ajv().compile(VSCODE_FILE)(file)).toBe(true);
      const [input] = file['inputs'];
      expect(input.password).toBe(true);
      expect(file['servers'][server_name].headers).toEqual({ Authorization: `Bearer \${input:${input.id}}` });
    });

    test('POST, then a GET that must end: connects without a session and without a version header', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsControl');
      const first = await send('POST', headers(bearer), initialize('2025-11-25', 'Visual Studio Code'));
      expect([first.status, first.json['result']?.protocolVersion]).toEqual([200, '2025-11-25']);
      expect(first.headers.get('mcp-session-id')).toBeNull();
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const noted = await send('POST', headers(bearer), initialized);
      expect([noted.status, noted.text]).toEqual([202, '']);
      // It takes any answer from 400 on as "no stream here"; one it took for auth would start a login.
      const stream = await send('GET', { ...headers(bearer), accept: 'text/event-stream' });
      expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);

      const list = await send('POST', headers(bearer), { jsonrpc: '2.0', id: 2, method: 'tools/list' });
      const tools = list.json['result'].tools as { name: string; description: string; inputSchema: object }[];
      expect(tools.map((tool) => tool.name)).toEqual((await listed(zone(), bearer)).map((tool) => tool.name));
      for (const { name, description, inputSchema } of tools) {
        expect([name, name.replace(/[^A-Za-z0-9_-]/g, '_')]).toEqual([name, name]);
        expect(description).not.toBe('');
        // Its validator for tool schemas speaks draft-07.
        expect(() => new Ajv({ strictTypes: false }).compile(inputSchema)).not.toThrow();
      }
      const call = { name: 'hub_restart_service', arguments: { service: 'not-allowed' } };
      const denied = await send('POST', headers(bearer), {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: call,
      });
      // 403 would start a login.
      expect([denied.status, denied.json['result'].isError]).toEqual([200, true]);
    });

    test('a revoked lease: 401 with our words, and a discovery that finds no login anywhere', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      await revoke(zone(), session);
      for (const method of ['POST', 'GET']) {
        const body = method === 'POST' ? initialize('2025-11-25', 'Visual Studio Code') : undefined;
        const refused = await send(method, headers(bearer), body);
        expect([refused.status, refused.json['error_description']]).toEqual([401, REVOKED]);
        const challenge = refused.headers.get('www-authenticate');
        expect(challenge).toContain('error="invalid_token"');
        expect(challenge).not.toContain('resource_metadata');
      }
      for (const path of [
        '/.well-known/oauth-protected-resource/v1/root/mcp',
        '/.well-known/oauth-protected-resource',
        '/.well-known/oauth-authorization-server/v1/root/mcp',
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/v1/root/mcp/.well-known/openid-configuration',
      ]) {
        const found = await send('GET', { accept: 'application/json' }, undefined, path);
        // Without a bearer the endpoint's own subpaths answer 401, which is no document either.
        expect([path, [401, 404].includes(found.status)]).toEqual([path, true]);
        expect([path, found.type, found.headers.get('location')]).toEqual([
          path,
          expect.stringContaining('application/json'),
          null,
        ]);
        expect([path, Object.keys(found.json)]).not.toEqual([path, expect.arrayContaining(['issuer'])]);
      }
    });
  });

  describe('Cursor, replayed', () => {
    const headers = (bearer: string) => ({
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });

    test('the generated file has the keys it documents, with the reference it expands', async () => {
      const { config, server_name } = await given(zone(), 'cursor');
      const file = JSON.parse(config.text) as Record<string, any>;
      expect(config.file).toBe('.cursor/mcp.json');
      expect(new Ajv().compile(CURSOR_FILE)(file)).toBe(true);
      expect(file['mcpServers'][server_name].headers).toEqual({
        Authorization: 'Bearer ${env:ADAOS_ROOT_MCP_AUTH}',
      });
    });

    test('a GET before all else gets 405, not the 400 it repeats for ever nor the 404 it takes for broken', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const probe = await send('GET', { ...headers(bearer), accept: 'text/event-stream' });
      expect([probe.status, probe.headers.get('allow')]).toEqual([405, 'POST']);
      const first = await send('POST', headers(bearer), initialize('2025-06-18', 'cursor-vscode'));
      expect([first.status, first.json['result'].protocolVersion]).toEqual([200, '2025-06-18']);
      const versioned = { ...headers(bearer), 'mcp-protocol-version': '2025-06-18' };
      const list = await send('POST', versioned, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
      expect(list.json['result'].tools.length).toBeGreaterThan(0);
      const bye = await send('DELETE', versioned);
      expect([bye.status, bye.headers.get('allow')]).toEqual([405, 'POST']);
    });

    test('calls by the name it makes of ours, which is ours, and is within its 60 characters', async () => {
      const { bearer, server_name } = await given(zone(), 'cursor');
      for (const { name } of await listed(zone(), bearer)) {
        expect(name.replace(/[^A-Za-z0-9]+/g, '_')).toBe(name);
        expect(`${server_name}${name}`.length).toBeLessThanOrEqual(60);
      }
      const params = { name: 'hub_get_status', arguments: {} };
      const call = await send('POST', headers(bearer), {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params,
      });
      expect(call.json['result'].structuredContent).toMatchObject({ hub_id: 'demo' });
    });

    test('a variable it did not expand ends in a 401', async () => {
      const refused = await send(
        'POST',
        headers('${env:ADAOS_ROOT_MCP_AUTH}'),
        initialize('2025-06-18', 'cursor-vscode'),
      );
      expect(refused.status).toBe(401);
    });
  });

  test('no generated configuration holds a bearer, and each names the server alike', async () => {
    const { bearer, session } = await lease(zone(), 'InfraOpsRead');
    for (const client of CONFIG_CLIENTS) {
      const config = await configOf(zone(), session, client);
      expect([client, JSON.stringify(config).includes(bearer)]).toEqual([client, false]);
      if (config.file !== null)
        expect([client, config.text]).toEqual([client, expect.stringContaining('adaos_demo')]);
    }
  });
};
