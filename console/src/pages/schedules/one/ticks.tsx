import type { Schedule, Tick } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';

/** What became of the last times of a schedule. */
export function Ticks({ schedule: { id, lastRuns } }: { readonly schedule: Schedule }): JSX.Element {
  return (
    <section className="card stack" aria-label="Last times">
      <h2>Last times</h2>
      {lastRuns.length === 0 ? (
        <p className="muted">None has come yet.</p>
      ) : (
        <Table label="Last times, the latest first" columns={['Time', 'By', 'Outcome', 'Run']}>
          {lastRuns.map((tick) => (
            <Row key={`${tick.at} ${tick.kind}`} tick={tick} />
          ))}
        </Table>
      )}
      <p>
        <Link href={`/runs?metadata=${encodeURIComponent(`schedule=${id}`)}`}>All its runs</Link>
      </p>
    </section>
  );
}

function Row({ tick: { at, kind, outcome, runId, status, code, message } }: { readonly tick: Tick }): JSX.Element {
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>{kind}</td>
      <td>
        <Status of={LOOKS[outcome]} label={outcome} />
        {code !== null && (
          <p className="small-text">
            <code>{code}</code> {message}
          </p>
        )}
      </td>
      <td>
        {runId === null ? (
          '—'
        ) : (
          <span className="row">
            <Link href={`/runs/${encodeURIComponent(runId)}`} className="mono">
              {runId}
            </Link>
            {status !== null && <Status of={status} />}
          </span>
        )}
      </td>
    </tr>
  );
}

const LOOKS: Readonly<Record<Tick['outcome'], string>> = {
  pending: 'pending',
  started: 'completed',
  skipped: 'skipped',
  failed: 'failed',
};
