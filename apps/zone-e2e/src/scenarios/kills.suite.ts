import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Envelope, StoredEvent } from '@adaos/contracts';
import { events, lease, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

/** Processes killed in turn: every one that a call passes through. The embedded zone is one process, killed whole. */
const VICTIMS = {
  embedded: ['zone', 'zone'],
  split: ['router-1', 'audit-1', 'session-1', 'policy-1', 'facade-1', 'agent', 'router-2', 'agent'],
} as const;

interface Sent {
  request_id: string;
  /** Absent when the connection broke: the client can't know. */
  envelope?: Envelope;
}

/** How often the demo service really started, by its own log. */
const starts = (zone: ZoneUnderTest) =>
  (readFileSync(join(zone.data_dir, 'demo-hub', 'logs', 'web.log'), 'utf8').match(/web \d+ listens/g) ?? [])
    .length;

/** Kill −9 of any process during calls loses no record and duplicates no restart. */
export const kills = (zone: () => ZoneUnderTest) =>
  describe('kill -9', () => {
    test.each(VICTIMS[zone_topology()].map((victim, round) => ({ victim, round })))(
      'of $victim during calls (round $round): every answer has its record, no restart runs twice',
      async ({ victim, round }) => {
        const { bearer, session } = await lease(zone(), 'InfraOpsControl');
        const call = rest(zone(), bearer);
        const send = async (
          tool_id: string,
          request_id: string,
          args: Record<string, unknown>,
        ): Promise<Sent> => {
          try {
            const { body } = await call<Envelope>('POST', '/call', { tool_id, arguments: args, request_id });
            return {
              request_id,
              envelope: (body as Envelope).tool_id === undefined ? undefined : (body as Envelope),
            };
          } catch {
            return { request_id };
          }
        };
        const reads = Promise.all(
          Array.from({ length: 20 }, (_, i) => send('hub.get_status', `k${round}-read-${i}`, {})),
        );
        const restart_id = `k${round}-restart`;
        const before = starts(zone());
        const write = send('hub.restart_service', restart_id, { service: 'web' });
        await reads;
        await killed(zone(), victim);
        const sent = [...(await reads), await write];

        // The client's part: the same request id again, until it has an answer that says what became of it.
        const outcome = await until(
          'an outcome of the restart',
          async () => {
            const { envelope } = await send('hub.restart_service', restart_id, { service: 'web' });
            return envelope && (envelope.ok || envelope.error?.details?.['outcome'] === 'indeterminate')
              ? envelope
              : undefined;
          },
          60_000,
          // A write's rate is thirty a minute: a client that hammers would only be held up longer.
          500,
        );
        await settled(zone());
        const ran = starts(zone()) - before;
        // Killed in mid-restart the agent starts its services anew, which is no second restart: at most one of each.
        const agent_restarts = victim === 'agent' || victim === 'zone' ? 1 : 0;
        if (outcome.ok && ran === 0) throw new Error(`no start in the log for ${JSON.stringify(outcome)}`);
        expect(ran).toBeLessThanOrEqual(1 + agent_restarts);

        // Every answer the client got stands in the record, with the same outcome.
        const answered = sent.flatMap(({ envelope }) => (envelope?.audit_event_id ? [envelope] : []));
        const read = async () => {
          const all = new Map(
            (await events(zone(), `lease_id=${session.session_id}`)).map((e) => [e.event_id, e]),
          );
          // Durable in the stream is not yet in the table: the opening record may be there before the close.
          const whole = answered.every(
            (envelope) => (all.get(envelope.audit_event_id!)?.status ?? 'open') !== 'open',
          );
          return whole ? all : undefined;
        };
        const stored = await until('the records', read, 30_000, 250);
        const told = answered.map((envelope) => {
          const event = stored.get(envelope.audit_event_id!) as StoredEvent;
          // A caller that timed out knows less than the record, which the hub completed from its journal.
          const by_hub = envelope.status === 'timed_out' && event.source === 'subnet_active';
          return [envelope.status, by_hub ? 'timed_out' : event.status];
        });
        expect(told.filter(([said, recorded]) => said !== recorded)).toEqual([]);
        expect(answered.length).toBeGreaterThan(0);
      },
      180_000,
    );
  });

function zone_topology(): 'embedded' | 'split' {
  return process.env['E2E_TOPOLOGY'] === 'split' ? 'split' : 'embedded';
}

async function killed(zone: ZoneUnderTest, victim: string): Promise<void> {
  const pid = await until(`the process ${victim}`, () => zone.processes()[victim]);
  process.kill(pid, 'SIGKILL');
  if (zone.topology === 'embedded') return zone.start();
  await until(`${victim} to come back`, () => (zone.processes()[victim] ?? pid) !== pid || undefined, 60_000);
  // A facade is back when it listens: a balancer would leave it out until then.
  const { root_url, root_urls = [root_url] } = zone.connection();
  for (const url of root_urls)
    await until(`${url} to answer`, () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
}

/** The hub is online again and its service runs. */
async function settled(zone: ZoneUnderTest): Promise<void> {
  await until(
    'the hub to be well',
    async () => {
      const { bearer } = zone.connection();
      const { body } = await rest(zone, bearer)<Envelope>('POST', '/call', {
        tool_id: 'hub.get_status',
        arguments: {},
      }).catch(() => ({ body: null }));
      const services = (body as Envelope | null)?.result?.['services'] as
        { name: string; state: string }[] | undefined;
      return services?.every((s) => s.state === 'running') || undefined;
    },
    60_000,
    250,
  );
}
