// The zone with the conformance plane: `ZONE_CONFORMANCE=1 npm start`. Never part of what is deployed.
import './register.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runZone } from '../../apps/zone/src/run-zone.js';
import { conformanceTools } from './tools.js';

const TOGGLED = 'hub.get_logs';
const env: Record<string, string | undefined> = { ZONE_PROFILE: 'Conformance', ...process.env };

/** Takes one tool out of the demo hub's published surface, or puts it back: as operator, by the front door. */
async function change(): Promise<void> {
  const file = join(env['ZONE_DATA_DIR'] ?? '.zone', 'connection.json');
  const { root_url, target_id, subnet_id, operator_token } = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    string
  >;
  const api = async (path: string, body?: object) => {
    const response = await fetch(`${root_url}/v1/root/mcp${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${operator_token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(2_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json() as Promise<{ target: { policy: { allowed_capabilities: string[] } } }>;
  };
  const { policy } = (await api(`/targets/${target_id}`)).target;
  const rest = policy.allowed_capabilities.filter((capability) => capability !== TOGGLED);
  const allowed_capabilities = rest.length < policy.allowed_capabilities.length ? rest : [...rest, TOGGLED];
  await api('/targets', {
    hub_id: target_id?.slice('hub:'.length),
    environment: 'test',
    subnet_id,
    policy: { ...policy, allowed_capabilities },
  });
}

void runZone(env, conformanceTools(change));
