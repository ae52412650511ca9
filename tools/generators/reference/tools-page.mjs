import { code, codes, page, table, typeOf } from './markdown.mjs';

const SERVED_BY = {
  hub: 'the agent on the hub',
  descriptor: 'root (descriptor)',
  session: 'root (session)',
  router: 'root (router)',
  audit: 'root (audit)',
};

const seconds = (ms) => `${ms / 1000} s`;
const kib = (bytes) => `${bytes / 1024} KiB, less where hub or bus allow less`;

export function toolsPage({ contracts, routes }) {
  const { TOOL_CONTRACTS, PLANES, PROFILES } = contracts;
  const profilesOf = (capability) =>
    Object.values(PROFILES)
      .filter((profile) => profile.capabilities.includes(capability))
      .map((profile) => profile.profile_id);
  return page(
    'Tools',
    'libs/contracts/src/tools/',
    `${TOOL_CONTRACTS.length} tools in ${Object.keys(PLANES).length} planes. Clients call them by MCP name or by id. A client sees only those its lease holds; hub tools only while the hub publishes them.`,
    Object.values(PLANES).map(({ plane_id, title, summary }) => [
      `## ${title} (${code(plane_id)})`,
      summary,
      table(
        ['Tool', 'MCP name', 'Effect', 'Served by'],
        TOOL_CONTRACTS.filter((c) => c.plane_id === plane_id).map((c) => [
          `[${code(c.tool_id)}](#${anchor(c.tool_id)})`,
          code(c.mcp_name),
          c.side_effect_class,
          SERVED_BY[c.served_by],
        ]),
      ),
    ]),
    TOOL_CONTRACTS.map((contract) => section(contract, profilesOf(contract.required_capability), routes)),
  );
}

const anchor = (tool_id) => tool_id.replace(/[^a-z0-9_ -]/g, '').replaceAll(' ', '-');

/** What a second call with the same `request_id` does: the hub keeps a journal, root's own writes have none. */
function repeatOf({ idempotency, served_by, tool_id }) {
  if (idempotency === 'safe') return 'safe';
  if (served_by === 'hub') return 'with the same `request_id`: the first result, no second effect';
  return tool_id === 'hub.issue_mcp_session'
    ? 'issues another lease, also with the same `request_id`'
    : 'leaves the same state';
}

function section(contract, profiles, routes) {
  const { input_schema, output_schema, annotations } = contract;
  const required = new Set(input_schema.required ?? []);
  const rest = (routes?.ROUTES ?? []).filter((route) => route.tool_id === contract.tool_id);
  const facts = [
    ['Title', contract.title],
    [
      'Needs',
      `${code(contract.required_capability)}, in ${profiles.length ? codes(profiles) : 'no profile: operators only'}`,
    ],
    ['Environments', codes(contract.allowed_environments)],
    [
      'Effect',
      `${contract.side_effect_class}; ${annotations.readOnlyHint ? 'read' : 'write'}, ${contract.routing_class}`,
    ],
    ['Repeat', repeatOf(contract)],
    ['Dry run', contract.dry_run],
    ['Approval', contract.approval],
    ['Timeout', seconds(contract.timeout_ms)],
    ['Rate', `${contract.rate_limit.points} per ${contract.rate_limit.duration_s} s, per credential`],
    [
      'At once',
      contract.served_by === 'hub'
        ? `${contract.max_concurrency_per_target} per target, ${contract.max_concurrency_per_actor} per credential`
        : '',
    ],
    ['Result at most', contract.served_by === 'hub' ? kib(contract.max_result_bytes) : ''],
    ['Recorded', contract.unrecorded ? `no: ${contract.unrecorded}` : 'yes'],
    [
      'REST',
      rest.map((r) => code(`${r.method.toUpperCase()} ${r.path.replace(/:(\w+)/g, '{$1}')}`)).join(', '),
    ],
  ].filter(([, value]) => value !== '');
  return [
    `## ${contract.tool_id}`,
    contract.summary,
    table(['', ''], facts),
    table(
      ['Argument', 'Type', 'Required', 'Meaning'],
      Object.entries(input_schema.properties).map(([name, schema]) => [
        code(name),
        typeOf(schema),
        required.has(name) ? 'yes' : '',
        schema.description ?? '',
      ]),
    ),
    `Result: ${codes(Object.keys(output_schema.properties))}.`,
  ];
}
