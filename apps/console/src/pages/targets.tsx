import type { ManagedTarget } from '@adaos/contracts';
import { Badge, Tag } from '../parts/badge.js';
import { Choices } from '../parts/choices.js';
import { Link } from '../parts/link.js';
import { Page } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { lookOf, SKILL_LOOKS, TARGET_LOOKS } from '../text/looks.js';
import { useTargets } from '../zone-api/zone.js';

const COLUMNS: readonly Column<ManagedTarget>[] = [
  {
    name: 'Target',
    className: 'cell-name',
    cell: ({ target_id, title }) => (
      <>
        <Link className="row-link" to={href(['targets', target_id])}>
          <Text>{title}</Text>
        </Link>
        <span className="cell-note">
          <Text>{target_id}</Text>
        </span>
      </>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Badge look={lookOf(TARGET_LOOKS, status)} /> },
  { name: 'Environment', cell: ({ environment }) => <Tag>{environment}</Tag> },
  {
    name: 'Skill',
    cell: ({ operational_surface: { skill } }) => <Badge look={lookOf(SKILL_LOOKS, skill.state)} />,
  },
  {
    name: 'Last seen',
    cell: ({ transport: { last_seen_at: at } }) => (at === null ? <None>never</None> : <Time at={at} />),
  },
  {
    name: 'Published tools',
    className: 'cell-number',
    cell: ({ operational_surface: { capabilities } }) => capabilities.length,
  },
];

/** Every managed target of the zone. */
export function TargetsPage({ query }: { query: URLSearchParams }) {
  const { data, error, refetch } = useTargets();
  const wanted = query.get('status') ?? '';
  const shown = data?.filter(({ status }) => wanted === '' || status === wanted);
  const present = Object.keys(TARGET_LOOKS).filter((status) =>
    data?.some((target) => target.status === status),
  );
  return (
    <Page title="Targets">
      {data && data.length > 0 && (
        <Choices
          name="Status"
          current={wanted}
          options={[
            { value: '', label: `all ${data.length}` },
            ...present.map((value) => ({ value, label: lookOf(TARGET_LOOKS, value).label })),
          ]}
          linkTo={(status) => href(['targets'], { status })}
        />
      )}
      {error && !data && (
        <FailureNote title="The targets could not be read." error={error} retry={() => void refetch()} />
      )}
      {!data && !error && <Loading what="targets" />}
      {shown?.length === 0 && (
        <Empty title={wanted === '' ? 'No target is registered.' : `No target is ${wanted}.`}>
          Register a hub with <code>adaosctl targets register</code> or <code>POST /v1/root/mcp/targets</code>
          .
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <Table
          caption="Managed targets"
          columns={COLUMNS}
          rows={shown}
          keyOf={({ target_id }) => target_id}
        />
      )}
    </Page>
  );
}
