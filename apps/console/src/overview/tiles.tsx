import type { ReactNode } from 'react';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Time } from '../parts/words.js';
import { href } from '../route.js';
import { TARGET_LOOKS } from '../text/looks.js';
import type { Outcomes } from '../zone-api/counts.js';
import { useLeases, useTargets } from '../zone-api/zone.js';

interface TileProps {
  readonly name: string;
  readonly to: string;
  /** Null: could not be read. Undefined: not read yet; the tile stands already, so that nothing moves when it is. */
  readonly value: string | number | null | undefined;
  readonly children?: ReactNode;
}

/** One number of the zone, and the page behind it. */
const Tile = ({ name, to, value, children }: TileProps) => (
  <Link className="tile" to={to} aria-busy={value === undefined}>
    <span className="tile-name">{name}</span>
    <span className="tile-value">{value === undefined ? '…' : (value ?? '–')}</span>
    <span className="tile-note">{value === null ? 'could not be read' : children}</span>
  </Link>
);

/** How many targets are in which state. */
export function TargetTile() {
  const { data, error } = useTargets();
  const counts = Object.entries(TARGET_LOOKS).flatMap(([status, look]) => {
    const count = data?.filter((target) => target.status === status).length ?? 0;
    return count === 0 ? [] : [{ status, look: { ...look, label: `${count} ${look.label}` } }];
  });
  return (
    <Tile name="Targets" to={href(['targets'])} value={data?.length ?? (error ? null : undefined)}>
      {counts.length === 0 && 'none registered'}
      {counts.map(({ status, look }) => (
        <Badge key={status} look={look} />
      ))}
    </Tile>
  );
}

/** Who has access now, and when the first of them loses it. */
export function LeaseTile() {
  const { data, error } = useLeases({ status: 'active' });
  const leases = data?.pages.flatMap(({ sessions }) => sessions);
  const more = data?.pages.at(-1)?.next_cursor ? '+' : '';
  const next = leases?.map(({ deadline_at }) => deadline_at).sort()[0];
  const value = leases ? `${leases.length}${more}` : error ? null : undefined;
  return (
    <Tile name="Active leases" to={href(['leases'], { status: 'active' })} value={value}>
      {next === undefined ? (
        'nobody has access'
      ) : (
        <span>
          the next one ends <Time at={next} />
        </span>
      )}
    </Tile>
  );
}

interface OutcomeTilesProps {
  /** Undefined: not read yet; null: could not be. */
  readonly outcomes: Outcomes | null | undefined;
}

/** How the newest calls ended. */
export function OutcomeTiles({ outcomes }: OutcomeTilesProps) {
  const shares = outcomes ? [outcomes.succeeded, outcomes.denied, outcomes.failed, outcomes.other] : [];
  const part = (count: number) => (count === 0 ? 'none of these' : `of these ${outcomes?.calls}: see why`);
  return (
    <>
      <Tile name="Newest calls" to={href(['events'])} value={outcomes && outcomes.calls}>
        <span className="outcome-bar" aria-hidden="true">
          {shares.map((count, index) => (
            <span key={index} className={`outcome outcome-${index}`} style={{ flexGrow: count }} />
          ))}
        </span>
        {outcomes && `${outcomes.succeeded} went well`}
      </Tile>
      <Tile name="Denied" to={href(['events'], { status: 'denied' })} value={outcomes && outcomes.denied}>
        {outcomes && part(outcomes.denied)}
      </Tile>
      <Tile name="Failed" to={href(['events'], { status: 'failed' })} value={outcomes && outcomes.failed}>
        {outcomes && part(outcomes.failed)}
      </Tile>
    </>
  );
}
