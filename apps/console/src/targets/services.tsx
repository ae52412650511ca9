import type { ManagedTarget } from '@adaos/contracts';
import { Badge } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';
import { Panel } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { None, Text, Time } from '../parts/words.js';
import { lookOf, SERVICE_LOOKS } from '../text/looks.js';
import { useServices, type Service } from '../zone-api/zone.js';

const COLUMNS: readonly Column<Service>[] = [
  { name: 'Service', className: 'cell-name', cell: ({ name }) => <Text>{name}</Text> },
  { name: 'State', cell: ({ state }) => <Badge look={lookOf(SERVICE_LOOKS, state)} /> },
  { name: 'Started', cell: ({ started_at: at }) => (at === null ? <None /> : <Time at={at} />) },
  { name: 'Restarts', className: 'cell-number', cell: ({ restarts }) => restarts },
  { name: 'Process', className: 'cell-number', cell: ({ pid }) => pid ?? <None /> },
];

/** The services of a hub as it tells them now: one live call, made when the page opens and when asked for. */
export function Services({ target }: { target: ManagedTarget }) {
  const reachable =
    (target.status === 'online' || target.status === 'degraded') &&
    target.operational_surface.capabilities.includes('hub.get_status');
  const { data, error, refetch, isFetching } = useServices(target.target_id, reachable);
  const again = reachable && (
    <button
      type="button"
      className="button button-plain"
      disabled={isFetching}
      onClick={() => void refetch()}
    >
      <Icon name="refresh" />
      {isFetching ? 'Asking the hub…' : 'Ask again'}
    </button>
  );
  return (
    <Panel title="Services" aside={again}>
      {!reachable && (
        <Empty title="The hub can not be asked now.">
          It has to be online and publish <code>hub.get_status</code>.
        </Empty>
      )}
      {reachable && error && <FailureNote title="The hub did not tell its services." error={error} />}
      {reachable && !data && !error && <Loading what="services" lines={2} />}
      {reachable && data?.length === 0 && <Empty title="The agent supervises no service." />}
      {reachable && data && data.length > 0 && (
        <Table caption="Services of the hub" columns={COLUMNS} rows={data} keyOf={({ name }) => name} />
      )}
    </Panel>
  );
}
