import type { InspectedRun } from 'holdfast/client';
import type { JSX } from 'react';
import { Notice } from '../../../parts/notice.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';

type Pending = NonNullable<InspectedRun['pendingActivities']>;

/** What Temporal has given to workers for a run, or is about to. */
export function Activities({ activities }: { readonly activities: Pending | null }): JSX.Element {
  return (
    <section className="card stack" aria-label="Pending activities">
      <h2>Pending activities</h2>
      {activities === null && (
        <Notice kind="info">Temporal does not have the workflow, or does not answer at the moment.</Notice>
      )}
      {activities?.length === 0 && <p className="muted">None: it waits, or it has ended.</p>}
      {activities !== null && activities.length > 0 && <List activities={activities} />}
    </section>
  );
}

function List({ activities }: { readonly activities: Pending }): JSX.Element {
  return (
    <Table
      label="Pending activities"
      columns={['Activity', 'State', 'Attempt', 'Last start', 'Last heartbeat', 'Worker', 'Last failure']}
    >
      {activities.map(({ id, type, state, attempt, lastStartedAt, lastHeartbeatAt, lastWorker, lastFailure }) => (
        <tr key={id}>
          <th scope="row">
            {type} <code>{id}</code>
          </th>
          <td>{state}</td>
          <td>{attempt}</td>
          <td>{lastStartedAt === null ? '—' : <Ago at={lastStartedAt} />}</td>
          <td>{lastHeartbeatAt === null ? '—' : <Ago at={lastHeartbeatAt} />}</td>
          <td>{lastWorker ?? '—'}</td>
          <td>{lastFailure ?? '—'}</td>
        </tr>
      ))}
    </Table>
  );
}
