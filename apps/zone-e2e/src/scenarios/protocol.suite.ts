import { describe, expect, test } from '@jest/globals';
import type { SessionLease } from '@adaos/contracts';
import { connectClient, events, lease, mcpRaw, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** An open `subscriptions/listen` as a client without our SDK sees it. */
async function listen(zone: ZoneUnderTest, bearer: string, notifications: object) {
  const method = 'subscriptions/listen';
  const abort = new AbortController();
  const response = await fetch(zone.connection().mcp_url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: META, notifications } }),
    signal: abort.signal,
  });
  const stream = { text: '', ended: false };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) stream.text += decoder.decode(chunk as Uint8Array);
    stream.ended = true;
  })().catch(() => undefined);
  const methods = () =>
    [...stream.text.matchAll(/^data: (.*)$/gm)].map(
      (match) => (JSON.parse(match[1]!) as { method?: string }).method ?? 'result',
    );
  await until('the acknowledgement', () => methods().length > 0 || undefined);
  return { stream, methods, close: () => abort.abort() };
}

const unknown = (uri: string) => ({ code: -32602, message: 'Resource not found', data: { uri } });
const read = (zone: ZoneUnderTest, bearer: string, uri: string) =>
  mcpRaw(zone, bearer, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });

/** Resources, prompts, completion and subscriptions, through the real pipeline. */
export const protocol = (zone: () => ZoneUnderTest) =>
  describe('protocol', () => {
    test.each([
      ['legacy', false],
      ['2026-07-28', true],
    ])('resources, prompts and completion are those of the lease, %s', async (_, modern) => {
      const sdk = await connectClient(zone(), (await lease(zone(), 'SdkRead')).bearer, { modern });
      const { resources } = await sdk.listResources();
      expect(resources.map((r) => r.uri)).toContain('adaos://descriptor/plane_registry');
      expect(resources.some((r) => r.uri.startsWith('adaos://target/'))).toBe(false);
      const { contents } = await sdk.readResource({ uri: 'adaos://descriptor/plane_registry' });
      expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
        class: 'plane_registry',
        state: 'fresh',
      });
      expect((await sdk.listPrompts()).prompts).toEqual([]);
      await sdk.close();

      const ops = await connectClient(zone(), (await lease(zone(), 'InfraOpsControl')).bearer, { modern });
      expect((await ops.listResources()).resources).toMatchObject([
        { uri: 'adaos://target/hub%3Ademo', mimeType: 'application/json' },
      ]);
      expect((await ops.listResourceTemplates()).resourceTemplates.map((t) => t.name)).toEqual([
        'target',
        'event',
      ]);
      expect((await ops.listPrompts()).prompts.map((p) => p.name)).toContain('diagnose_hub');
      const prompt = await ops.getPrompt({ name: 'diagnose_hub', arguments: { service: 'web' } });
      const { text } = prompt.messages[0]!.content as { text: string };
      const named = [...text.matchAll(/\bhub_[a-z_]+/g)].map(([name]) => name);
      const tools = (await ops.listTools()).tools.map((tool) => tool.name);
      expect(named.filter((name) => !tools.includes(name))).toEqual([]);
      const { completion } = await ops.complete({
        ref: { type: 'ref/prompt', name: 'diagnose_hub' },
        argument: { name: 'service', value: 'w' },
      });
      expect(completion).toEqual({ values: ['web', 'worker'], total: 2, hasMore: false });
      await ops.close();
    });

    test('a read is a governed call, on record; unknown, foreign and forbidden read alike', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      const own = await read(zone(), bearer, 'adaos://target/hub:demo');
      expect(JSON.parse((own.json as any).result.contents[0].text)).toMatchObject({ target_id: 'hub:demo' });
      const { body } = await rest(zone())('POST', '/targets', {
        hub_id: 'foreign',
        environment: 'test',
        subnet_id: 'another-subnet',
      });
      expect(body).toMatchObject({ target: { target_id: 'hub:foreign' } });
      for (const uri of [
        'adaos://target/hub:foreign',
        'adaos://target/hub:none',
        'adaos://descriptor/plane_registry',
        'adaos://event/evt_none',
        'adaos://nothing/x',
      ])
        expect([uri, (await read(zone(), bearer, uri)).json]).toEqual([
          uri,
          { jsonrpc: '2.0', id: 1, error: unknown(uri) },
        ]);
      const mine = await until('the records', async () => {
        const found = await events(zone(), `lease_id=${session.session_id}`);
        return found.some((event) => event.event_type === 'call.refused') ? found : undefined;
      });
      expect(mine.map((event) => `${event.event_type} ${event.tool_id} ${event.status}`)).toEqual(
        expect.arrayContaining([
          'tool.call operations.get_managed_target succeeded',
          'tool.call operations.get_managed_target denied',
          'tool.call adaos_dev.get_descriptor denied',
          'call.refused null denied',
        ]),
      );
    });

    test('a stream hears of its own target and lists, and ends with its lease', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      const own = await listen(zone(), bearer, {
        toolsListChanged: true,
        resourceSubscriptions: ['adaos://target/hub:demo', 'adaos://target/hub:foreign'],
      });
      const acknowledged = JSON.parse(/^data: (.*)$/m.exec(own.stream.text)![1]!) as any;
      expect(acknowledged.params.notifications).toEqual({
        toolsListChanged: true,
        resourceSubscriptions: ['adaos://target/hub:demo'],
      });
      const skill = (state: string) => rest(zone())('POST', '/targets/hub:demo/skill', { state });
      try {
        await skill('disabled');
        await until('the list to change', () =>
          own.methods().includes('notifications/tools/list_changed') ? true : undefined,
        );
        await until('the target to change', () =>
          own.methods().includes('notifications/resources/updated') ? true : undefined,
        );
      } finally {
        await skill('enabled');
      }
      const other = await listen(zone(), (await lease(zone(), 'InfraOpsRead')).bearer, {
        toolsListChanged: true,
      });
      const revoked_at = performance.now();
      await rest(zone())<{ session: SessionLease }>('POST', `/sessions/${session.session_id}/revoke`, {});
      await until('the stream to end', () => own.stream.ended || undefined, 5_000);
      expect(performance.now() - revoked_at).toBeLessThan(2_000);
      expect(own.methods().at(-1)).toBe('result');
      expect(other.stream.ended).toBe(false);
      other.close();
      const again = await mcpRaw(zone(), bearer, { jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(again.status).toBe(401);
      // The hub publishes again before the next scenario begins.
      await until('the hub to publish', async () => {
        const { body } = await rest(zone())<{ target: any }>('GET', '/targets/hub:demo');
        return body.target?.operational_surface.capabilities.length > 0 ? true : undefined;
      });
    });

    test('a descriptor is kept by its hash', async () => {
      const { root_url } = zone().connection();
      const { bearer } = await lease(zone(), 'SdkRead');
      const get = (headers: Record<string, string> = {}) =>
        fetch(`${root_url}/v1/root/mcp/descriptors/schema_manifest?level=std`, {
          headers: { authorization: `Bearer ${bearer}`, ...headers },
        });
      const first = await get();
      const { descriptor } = (await first.json()) as { descriptor: { content_hash: string } };
      expect(first.headers.get('etag')).toBe(`W/"${descriptor.content_hash}"`);
      const second = await get({ 'if-none-match': first.headers.get('etag')! });
      expect([second.status, await second.text()]).toEqual([304, '']);
    });
  });
