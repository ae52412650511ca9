// One starter for every end-to-end test; a second copy of it would drift.
import { launchEmbedded } from '../../zone-e2e/src/embedded-zone.js';
import type { ManagedTarget, SessionLease } from '@adaos/contracts';

export type Zone = Awaited<ReturnType<typeof launchEmbedded>>;

/** A real zone with its demo hub, serving the console of that folder. */
export const startZone = (console_dir: string): Promise<Zone> => launchEmbedded({ CONSOLE_DIR: console_dir });

/** One request, as a client or another operator would send it beside the browser. */
export async function send<T = Record<string, unknown>>(
  zone: Zone,
  token: string,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ status: number; body: T }> {
  const response = await fetch(`${zone.connection().root_url}/v1/root/mcp${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'codex/1.4',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

/** A governed call under a lease. */
export const call = (zone: Zone, bearer: string, tool_id: string, args: object = {}) =>
  send<{ ok: boolean; error?: { code: string; details?: Record<string, unknown> } }>(
    zone,
    bearer,
    'POST',
    '/call',
    {
      tool_id,
      arguments: args,
    },
  );

/** Issues a lease beside the browser. */
export async function issue(zone: Zone, capability_profile: string, more: object = {}) {
  const { operator_token, target_id } = zone.connection();
  const body = { target_id, capability_profile, ...more };
  return (
    await send<{ bearer: string; session: SessionLease }>(zone, operator_token, 'POST', '/sessions', body)
  ).body;
}

/** A little history of every kind, so that no page is looked at empty. */
export async function liveALittle(zone: Zone): Promise<void> {
  const { operator_token } = zone.connection();
  const register = async (hub_id: string, title: string, environment: string) => {
    const body = { hub_id, title, environment, subnet_id: 'lab-a', owner: 'qa team' };
    await send(zone, operator_token, 'POST', '/targets', body);
  };
  await register('rig-07', 'Radio rig 07', 'test');
  await register('stage-eu', 'Staging Europe', 'staging');
  await send(zone, operator_token, 'POST', '/targets/hub:stage-eu/skill', { state: 'enabled' });
  const codex = await issue(zone, 'InfraOpsControl', {
    note: 'Codex on the nightly test rig',
    ttl_seconds: 28_800,
  });
  const claude = await issue(zone, 'InfraOpsRead', {
    note: 'Claude Code, flaky radio tests',
    ttl_seconds: 3_600,
  });
  const stage = await issue(zone, 'InfraOpsControl', { note: 'release check', target_id: 'hub:stage-eu' });
  const lost = await issue(zone, 'InfraOpsRead', { note: 'contractor laptop' });
  await call(zone, codex.bearer, 'hub.get_status');
  await call(zone, claude.bearer, 'hub.get_logs', { source: 'web', tail: 20 });
  await call(zone, claude.bearer, 'hub.run_healthchecks');
  await call(zone, codex.bearer, 'hub.restart_service', { service: 'web', dry_run: true });
  await call(zone, codex.bearer, 'hub.restart_service', { service: 'worker' });
  await call(zone, claude.bearer, 'hub.get_logs', { source: 'nowhere' });
  await call(zone, claude.bearer, 'hub.get_logs', { tail: 'many' });
  await call(zone, stage.bearer, 'hub.restart_service', { service: 'web' });
  await send(zone, operator_token, 'POST', `/sessions/${lost.session.session_id}/revoke`, {
    reason: 'lost on a train',
  });
  await call(zone, lost.bearer, 'hub.get_status');
  await call(zone, codex.bearer, 'hub.restart_service', { service: 'postgres' });
  await askForApproval(zone, 'worker');
}

/** Stops one restart on the demo hub for approval, and lets the hub be as it was. */
export async function askForApproval(
  zone: Zone,
  service: string,
): Promise<{ bearer: string; approval_id: string }> {
  const { operator_token, target_id } = zone.connection();
  const { body } = await send<{ target: ManagedTarget }>(
    zone,
    operator_token,
    'GET',
    `/targets/${target_id}`,
  );
  const { environment, subnet_id, policy } = body.target;
  const register = (approval: 'none' | 'writes') =>
    send(zone, operator_token, 'POST', '/targets', {
      hub_id: target_id.slice(4),
      environment,
      subnet_id,
      policy: { ...policy, approval },
    });
  await register('writes');
  const { bearer } = await issue(zone, 'InfraOpsControl', { note: 'asks first' });
  const stopped = await call(zone, bearer, 'hub.restart_service', { service });
  await register('none');
  return { bearer, approval_id: String(stopped.body.error?.details?.['approval_id']) };
}
