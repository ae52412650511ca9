import type { ClientConfig as Config, ConfigClient } from '@adaos/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Copyable } from '../parts/copy.js';
import { FailureNote, Loading } from '../parts/states.js';
import { CLIENT_NAMES } from '../text/looks.js';
import { read } from '../zone-api/exchange.js';

const CLIENTS = Object.entries(CLIENT_NAMES) as [ConfigClient, string][];

/** How each client reaches the zone with this lease. The texts name an environment variable; the bearer is not part of them. */
export function ClientConfig({ session_id }: { session_id: string }) {
  const [client, setClient] = useState<ConfigClient>(CLIENTS[0]![0]);
  const { data, error, refetch } = useQuery({
    queryKey: ['client-config', session_id, client],
    queryFn: ({ signal }) =>
      read<Config>(`/sessions/${encodeURIComponent(session_id)}/client-config?client=${client}`, { signal }),
    staleTime: Infinity,
  });
  return (
    <>
      <div className="choices" role="group" aria-label="Client">
        {CLIENTS.map(([id, name]) => (
          <button type="button" key={id} aria-pressed={id === client} onClick={() => setClient(id)}>
            {name}
          </button>
        ))}
      </div>
      {error && (
        <FailureNote
          title="The configuration could not be made."
          error={error}
          retry={() => void refetch()}
        />
      )}
      {!data && !error && <Loading what="the configuration" lines={3} />}
      {data && (
        <>
          <p className="hint">
            {data.file === null ? (
              'Run this:'
            ) : (
              <>
                Put this into <code>{data.file}</code>:
              </>
            )}
          </p>
          <Copyable name={data.file === null ? 'command' : 'configuration'} text={data.text.trimEnd()} />
          <ul className="notes">
            {data.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
