import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  ENVIRONMENTS,
  hubIdOf,
  targetIdOf,
  TOOL_CONTRACTS,
  type ManagedTarget,
  type TargetPolicy,
} from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { Failure, usage } from '../failure.js';
import { toned } from '../screen/screen.js';
import { path } from '../zone-api/path.js';
import { printTarget } from './target-card.js';

interface RegisterOptions {
  readonly environment?: ManagedTarget['environment'];
  readonly subnet?: string;
  readonly title?: string;
  readonly owner?: string;
  readonly writeScope?: TargetPolicy['write_scope'];
  readonly service?: string[];
  readonly capability?: string[];
  readonly approval?: 'none' | 'writes';
}

const HUB_CAPABILITIES = [
  ...new Set(TOOL_CONTRACTS.filter((c) => c.served_by === 'hub').map((c) => c.required_capability)),
];

export function addRegisterCommand(targets: Command, open: Open): void {
  targets
    .command('register')
    .description('register a hub, or change what root owns of it; what is not named stays as it is')
    .argument('<hub>', 'id of the hub; the target is hub:<id>', hubId)
    .addOption(new Option('--environment <name>', 'which environment it is').choices(ENVIRONMENTS))
    .option('--subnet <id>', 'subnet it belongs to')
    .option('--title <text>', 'name for people')
    .option('--owner <name>', 'who answers for it')
    .addOption(
      new Option('--write-scope <scope>', 'where writes may act').choices(['none', 'test-only', 'any']),
    )
    .addOption(
      new Option('--approval <what>', 'which calls wait for an approver').choices(['none', 'writes']),
    )
    .option('--service <name...>', 'services that may be acted on, replacing those before')
    .option('--capability <name...>', 'capabilities it may publish, replacing those before')
    .action(async (hub_id: string, options: RegisterOptions, command: Command) =>
      registerTarget(open(command), hub_id, options),
    );
}

function hubId(text: string): string {
  const target_id = text.startsWith('hub:') ? text : targetIdOf(text);
  const hub_id = hubIdOf(target_id);
  if (hub_id === null) throw new InvalidArgumentError('A hub id is up to 64 letters, digits, _ and -.');
  return hub_id;
}

/** The zone replaces the record whole, so what is not named here is read first and sent again. */
async function registerTarget(context: Context, hub_id: string, options: RegisterOptions): Promise<void> {
  const { api, json, output, screen } = context;
  const before = await knownTarget(context, targetIdOf(hub_id));
  const environment = options.environment ?? before?.environment;
  const subnet_id = options.subnet ?? before?.subnet_id;
  if (environment === undefined || subnet_id === undefined) {
    throw usage(
      `${targetIdOf(hub_id)} is not registered yet, so --environment and --subnet are needed.`,
      `adaosctl targets register ${hub_id} --environment test --subnet <id>`,
    );
  }
  const registered = await api.post<{ target: ManagedTarget }>('/targets', {
    hub_id,
    environment,
    subnet_id,
    title: options.title ?? before?.title,
    owner: options.owner ?? before?.owner,
    policy: policyOf(options, before),
  });
  const answer = before ? await keepSkill(context, before, registered) : registered;
  if (json) return output.document(answer);
  const { target } = answer;
  screen.line(toned('ok', before ? 'Changed.' : 'Registered.'));
  printTarget(context, target);
  const { state } = (before ?? target).operational_surface.skill;
  if (state !== 'enabled') {
    output.remark(`Nothing is published yet. Next: adaosctl targets skill ${target.target_id} enabled`);
  }
}

/** A zone may take a changed target for a new one, whose skill has no state yet: it gets back the one it had. */
async function keepSkill<A extends { target: ManagedTarget }>(
  { api }: Context,
  before: ManagedTarget,
  registered: A,
): Promise<A | { target: ManagedTarget }> {
  const { target_id } = before;
  const { state } = before.operational_surface.skill;
  if (registered.target.operational_surface.skill.state === state) return registered;
  try {
    return await api.post<{ target: ManagedTarget }>(path`/targets/${target_id}/skill`, { state });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const next = `The target was changed, but its skill state is lost: adaosctl targets skill ${target_id} ${state}`;
    throw new Failure(error.kind, { ...error.facts, next });
  }
}

async function knownTarget({ api }: Context, target_id: string): Promise<ManagedTarget | null> {
  try {
    const { target } = await api.get<{ target: ManagedTarget }>(path`/targets/${target_id}`);
    return target;
  } catch (error) {
    if (error instanceof Failure && error.facts.code === 'target_not_found') return null;
    throw error;
  }
}

/** Undefined leaves a new target to the zone's own default. */
function policyOf(options: RegisterOptions, before: ManagedTarget | null): TargetPolicy | undefined {
  const { writeScope, service, capability, approval = before?.policy.approval } = options;
  if (!before && writeScope === undefined && !service && !capability && !approval) return undefined;
  return {
    write_scope: writeScope ?? before?.policy.write_scope ?? 'test-only',
    allowed_services: service ?? before?.policy.allowed_services ?? [],
    allowed_capabilities: capability ?? before?.policy.allowed_capabilities ?? HUB_CAPABILITIES,
    ...(approval && { approval }),
  };
}
