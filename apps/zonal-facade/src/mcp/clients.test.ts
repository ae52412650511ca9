import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AUTH, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

// The official clients, unchanged: what they accept is what Codex, Claude Code and VS Code build on.
let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
  facade.router.answer('adaos_dev.get_foundation', () => ({ result: { foundation: { zone: 'zone-a' } } }));
  facade.router.answer('hub.restart_service', () => ({
    status: 'denied',
    error: { code: 'environment_forbidden', message: 'No.' },
  }));
});
afterAll(() => facade.stop());

const headers = { Authorization: AUTH[1] };
const url = () => new URL(facade.urls.mcp_url);
const info = { name: 'test', version: '1' };

const CLIENTS = {
  'v1, legacy': async () => {
    const client = new ClientV1(info);
    await client.connect(new TransportV1(url(), { requestInit: { headers } }));
    return client as unknown as ClientV2;
  },
  'v2, auto': async () => {
    const client = new ClientV2(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new TransportV2(url(), { requestInit: { headers } }));
    return client;
  },
  'v2, legacy': async () => {
    const client = new ClientV2(info, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new TransportV2(url(), { requestInit: { headers } }));
    return client;
  },
  'v2, pinned modern': async () => {
    const client = new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new TransportV2(url(), { requestInit: { headers } }));
    return client;
  },
};

describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
  test('connects, lists, calls, is refused', async () => {
    const client = await connect();
    try {
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toContain('hub_restart_service');
      const called = await client.callTool({ name: 'adaos_dev_get_foundation', arguments: {} });
      expect(called.structuredContent).toEqual({ foundation: { zone: 'zone-a' } });
      const refused = await client.callTool({ name: 'hub_restart_service', arguments: { service: 'demo' } });
      expect([refused.isError, refused.structuredContent]).toEqual([true, undefined]);
      await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool');
    } finally {
      await client.close();
    }
  });
});
