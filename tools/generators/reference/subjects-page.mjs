import { code, codes, page, table } from './markdown.mjs';

export function subjectsPage({ contracts }) {
  const { AUDIT_STREAM, BUS_USERS, SUBJECTS, permissionsOf } = contracts;
  const permissions = BUS_USERS.map((user) => {
    const { publish, subscribe } = permissionsOf(user, 'HUB');
    const shown = (list) =>
      codes(list.map((subject) => subject.replaceAll('.HUB.', '.<hub_id>.'))) || 'nothing';
    return [`### ${code(user)}`, `May publish: ${shown(publish)}.`, `May subscribe: ${shown(subscribe)}.`];
  });
  return page(
    'Bus subjects',
    'libs/contracts/src/subjects.ts',
    'Services speak to each other on these subjects only. The in-process bus and the broker enforce the same table; `deploy/nats/nats.conf` is generated from it.',
    table(
      ['Subject', 'Kind', 'From', 'To', 'What'],
      Object.values(SUBJECTS).map((row) => [
        code(row.subject),
        row.kind,
        row.from.join(', '),
        row.to.join(', '),
        row.summary,
      ]),
    ),
    [
      'A request is answered by one replica of the queue group; an event reaches every subscriber and is not kept; a stream is kept until its consumer has committed it.',
      `The stream behind \`mcp.v1.audit.<source>\` is ${code(AUDIT_STREAM)}: file storage, work-queue retention, a full stream refuses new records.`,
      '`<hub_id>` is one token of `A–Z a–z 0–9 _ -`, 64 at most. Anything else is refused before it becomes a subject.',
      '`hub` stands for one broker user per hub, `hub-<hub_id>`; `service` for one per other AdaOS service, `service-<name>`.',
    ],
    '## What each user may do',
    'On a broker every user also gets its own reply inbox `_INBOX.<user>.>` and, if it serves requests, one answer to each; `audit` also the JetStream calls that make and read its stream.',
    permissions,
  );
}
