export interface ProvisionOptions {
  readonly root_url: string;
  readonly operator_token: string;
  readonly zone: string;
  readonly hub_id: string;
  readonly subnet_id: string;
  readonly capability_profile: string;
  /** Milliseconds the demo hub may take to report. */
  readonly wait_ms: number;
}

/**
 * Registers the demo hub and enables its skill, unless that was done at an earlier start. Like the lease it goes through the same door as
 * everybody else's acts, so that it stands in the record. Before the agent starts: root refuses reports of hubs it does not know.
 */
export async function registerDemoHub(options: ProvisionOptions): Promise<string> {
  const target_id = `hub:${options.hub_id}`;
  const path = `/targets/${encodeURIComponent(target_id)}`;
  if (await found(options, path)) return target_id;
  await api(options, 'POST', '/targets', {
    hub_id: options.hub_id,
    title: 'Demo test hub',
    environment: 'test',
    subnet_id: options.subnet_id,
    owner: 'local operator',
    policy: {
      write_scope: 'test-only',
      allowed_services: ['web', 'worker'],
      allowed_capabilities: DEMO_CAPABILITIES,
    },
  });
  await api(options, 'POST', `${path}/skill`, { state: 'enabled' });
  return target_id;
}

/** Waits until the hub reports, then issues the printed lease. Answers its bearer. */
export async function issueFirstLease(options: ProvisionOptions, target_id: string): Promise<string> {
  await untilOnline(options, target_id);
  const { bearer } = await api<{ bearer: string }>(options, 'POST', '/sessions', {
    target_id,
    capability_profile: options.capability_profile,
    audience: 'first-client',
    note: 'printed at start',
  });
  return bearer;
}

const DEMO_CAPABILITIES = [
  'hub.get_status',
  'hub.get_runtime_summary',
  'hub.get_logs',
  'hub.run_healthchecks',
  'hub.restart_service',
];

async function untilOnline(options: ProvisionOptions, target_id: string): Promise<void> {
  const deadline = Date.now() + options.wait_ms;
  for (;;) {
    const { target } = await api<{ target: { status: string } }>(
      options,
      'GET',
      `/targets/${encodeURIComponent(target_id)}`,
    );
    if (target.status === 'online') return;
    if (Date.now() > deadline) throw new Error(`the demo hub did not come online (status ${target.status})`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Is it there? Only «no such target» means no. */
const found = (options: ProvisionOptions, path: string): Promise<boolean> =>
  api(options, 'GET', path).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    },
  );

class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** One REST call as operator. While a service is still starting the answer is 503 and nothing was done: asked again until `wait_ms`. */
async function api<T>(options: ProvisionOptions, method: string, path: string, body?: unknown): Promise<T> {
  const deadline = Date.now() + options.wait_ms;
  for (;;) {
    const response = await fetch(`${options.root_url}/v1/root/mcp${path}`, {
      method,
      headers: { authorization: `Bearer ${options.operator_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = (await response.json()) as T & { error?: { code: string; message: string } };
    if (response.ok) return answer;
    if (answer.error?.code !== 'dependency_unavailable' || Date.now() > deadline) {
      throw new ApiError(
        `${method} ${path}: ${answer.error?.code ?? response.status} ${answer.error?.message ?? ''}`.trim(),
        response.status,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
