import type { StoredEvent } from '@adaos/contracts';
import type { Context } from '../context.js';
import { usage, withNext } from '../failure.js';
import { printFields, type Field } from '../screen/fields.js';
import { printableJson } from '../screen/printable.js';
import { toned, type Part } from '../screen/screen.js';
import { localTime, relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';

const WHOLE_ID = /^[a-z]{2,8}_[0-9A-Z]{20,}$/;
/** How far back the end of an id is looked for. */
const SEARCH_LIMIT = 1000;

export async function showEvent(context: Context, id: string): Promise<void> {
  const { api, json, output } = context;
  const event_id = WHOLE_ID.test(id) ? id : await wholeId(context, id.replace(/^…/, ''));
  const answer = await withNext(
    { target_not_found: 'See recent ids: adaosctl events tail' },
    api.get<{ event: StoredEvent }>(path`/audit/${event_id}`),
  );
  if (json) return output.document(answer);
  printEvent(context, answer.event);
}

/** The one recent event whose id ends so; an id of another form is passed on as it is. */
async function wholeId({ api }: Context, end: string): Promise<string> {
  if (!/^[0-9A-Z]{4,26}$/i.test(end)) return end;
  const { items } = await readListing<StoredEvent>(api, '/audit', 'events', {}, SEARCH_LIMIT);
  const found = items.filter(({ event_id }) => event_id.endsWith(end.toUpperCase()));
  if (found.length > 1) throw usage(`${found.length} recent events end in ${end}.`, 'Give more of the id.');
  return found[0]?.event_id ?? end;
}

function printEvent({ screen, io }: Context, event: StoredEvent): void {
  screen.line(['Event', toned('strong', event.event_id), toned('dim', event.event_type)]);
  screen.wrapped(story(event), { indent: 2 });
  screen.line();
  printFields(screen, [
    [
      'when',
      [
        relativeTime(event.started_at, io.now()),
        toned('dim', `(${localTime(event.started_at, io.time_zone)})`),
      ],
    ],
    ['who', event.actor ?? 'nobody known'],
    ['signed in by', event.auth_method],
    ['lease', event.auth_method === 'mcp_session_lease' ? event.lease_id : null],
    ['client', clientWords(event)],
    ['tool', event.tool_id],
    ['target', event.target_id],
    ['capability', event.capability],
    ['arguments', jsonWords(event.arguments_redacted)],
    ...decisionFields(event),
    ['status', [stateWord(event.status), ...(event.dry_run ? [toned('warn', 'dry run')] : [])]],
    ['error', event.error ? `${event.error.code}: ${event.error.message}` : null],
    ['result', summaryWords(event.result_summary)],
    [
      'masked',
      event.redactions.length
        ? event.redactions.map(({ rule, count }) => `${count} by ${rule}`).join(', ')
        : null,
    ],
    ['timings', timingWords(event)],
    ['adapter', event.execution_adapter ? `${event.execution_adapter} (${event.source})` : null],
    ['request', event.request_id],
    ['trace', event.trace_id],
    ['caused by', event.cause_event_id],
    // A lease is not told the place in the chain: the gaps would count what others do.
    ['record', event.hash ? `${event.phase}, seq ${event.seq}, hash ${event.hash}` : event.phase],
  ]);
}

/** The event in a sentence or two: who asked what, what was decided, what came of it. */
function story(event: StoredEvent): Part[] {
  const { actor, tool_id, target_id, event_type, policy_decision, status, dry_run, error } = event;
  const who = actor ?? 'Somebody without a valid credential';
  const asked = tool_id
    ? `${who} asked for ${dry_run ? 'a dry run of ' : ''}${tool_id}${target_id ? ` on ${target_id}` : ''}.`
    : `${who}: ${event_type}${target_id ? ` on ${target_id}` : ''}.`;
  const decided =
    policy_decision === null
      ? null
      : {
          allow: 'Policy allowed it.',
          deny: 'Policy denied it.',
          require_approval: 'Policy wants an approval first.',
        }[policy_decision];
  return [asked, ...(decided ? [decided] : []), outcome(status, error?.code)];
}

function outcome(status: StoredEvent['status'], code: string | undefined): string {
  const why = code ? ` (${code})` : '';
  switch (status) {
    case 'succeeded':
      return 'It succeeded.';
    case 'denied':
      return `Nothing ran${why}.`;
    case 'failed':
      return `It failed${why}.`;
    case 'timed_out':
      return `It ran out of time${why}; the hub may still report its outcome.`;
    case 'cancelled':
      return `It was cancelled${why}.`;
    case 'approval_required':
      return 'Nothing ran; it waits for an approval.';
    case 'input_required':
      return 'It asked its caller for input; the answer came, if at all, as a call of its own.';
    case 'open':
      return 'It is still running.';
    default:
      return `Its outcome is not known${why}.`;
  }
}

const decisionFields = (event: StoredEvent): readonly Field[] =>
  event.policy_decision === null
    ? []
    : [
        [
          'decision',
          [stateWord(event.policy_decision), ...(event.decision_id ? [toned('dim', event.decision_id)] : [])],
        ],
        [
          'rules',
          event.determining_rules.length ? event.determining_rules.join(', ') : toned('dim', 'none named'),
        ],
        // Operators alone get it: it names policies and facts.
        ['because', event.policy_explanation || null],
        ['tied to', event.obligations?.join(' ') || null],
        ['policy', event.policy_revision],
        ['permit', event.permit_id],
      ];

function clientWords({ client }: StoredEvent): string | null {
  const text = (name: string) => (typeof client[name] === 'string' ? client[name] : '');
  const product = [text('name'), text('version')].filter(Boolean).join(' ');
  const words = [product, text('via') && `by ${text('via')}`, text('address') && `from ${text('address')}`];
  return words.filter(Boolean).join(' ') || null;
}

function timingWords({ timings }: StoredEvent): string | null {
  const { total_ms, ...parts } = timings;
  const words = Object.entries(parts).map(([name, ms]) => `${name.replace(/_ms$/, '')} ${Math.round(ms)}`);
  if (total_ms === undefined) return words.length ? `${words.join(', ')} ms` : null;
  return `${Math.round(total_ms)} ms${words.length ? ` (${words.join(', ')})` : ''}`;
}

/** JSON on one line with room to break it; null when there is nothing in it. */
const jsonWords = (value: Record<string, unknown> | null): string | null =>
  value && Object.keys(value).length ? printableJson(value, 1).replace(/\n\s*/g, ' ') : null;

const summaryWords = (summary: StoredEvent['result_summary']): string | null =>
  Object.entries(summary ?? {})
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : printableJson(value)}`)
    .join('; ') || null;
