import type { ManagedTarget } from '@adaos/contracts';
import type { Context } from '../context.js';
import { printFields } from '../screen/fields.js';
import { toned } from '../screen/screen.js';
import { localTime, relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';

/** Everything root knows of a target, in words. */
export function printTarget({ screen, io }: Pick<Context, 'screen' | 'io'>, target: ManagedTarget): void {
  const { transport, operational_surface: surface, policy } = target;
  const now = io.now();
  const at = (iso: string | null) =>
    iso === null
      ? toned('dim', 'never')
      : [relativeTime(iso, now), toned('dim', `(${localTime(iso, io.time_zone)})`)];
  const list = (items: readonly string[]) => (items.length ? items.join(', ') : toned('dim', 'none'));
  screen.line([toned('strong', target.target_id), target.title]);
  printFields(screen, [
    ['status', stateWord(target.status)],
    ['health', stateWord(target.health)],
    ['environment', target.environment],
    ['zone, subnet', `${target.zone}, ${target.subnet_id}`],
    ['owner', target.owner],
    ['seen', at(transport.last_seen_at)],
    ['connected', transport.connected_at === null ? null : at(transport.connected_at)],
    ['transport', `${transport.channel}${transport.rtt_ms === null ? '' : `, ${transport.rtt_ms} ms away`}`],
    ['skill', [surface.skill.name, surface.skill.version, stateWord(surface.skill.state)]],
    ['published', list(surface.capabilities)],
    ['adapters', list(surface.execution_adapters)],
    ['write scope', policy.write_scope],
    ['approval', policy.approval === 'writes' ? 'each change waits for an approver' : 'none'],
    ['services', list(policy.allowed_services)],
    ['capabilities', list(policy.allowed_capabilities)],
    ['version', String(target.version)],
  ]);
}
