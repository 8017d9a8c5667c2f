import type { Schedule, Tick } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { Notice } from '../../parts/notices.tsx';
import { readSpan } from './schedule-draft.ts';

/** The outcomes of the last fires of a schedule. */
export function LastFires({ schedule: { id, lastRuns } }: { readonly schedule: Schedule }): JSX.Element {
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

const SCHEMA = {
  type: 'object',
  required: ['from', 'to'],
  properties: {
    from: { type: 'string', title: 'From', description: 'Such as 2026-11-20, or 2026-11-20T06:00 in your time zone' },
    to: { type: 'string', title: 'To', description: 'A time that is over' },
  },
} as const;

/** The form that fires a schedule for its times within a past span. */
export function BackfillForm({ schedule: { id } }: { readonly schedule: Schedule }): JSX.Element {
  const client = useApi();
  const form = useForm(SCHEMA, undefined);
  const [taken, setTaken] = useState<number | null>(null);
  const body = readSpan(form.value);
  return (
    <details className="card narrow">
      <summary>Make up for times that are over</summary>
      <div className="stack">
        <RequestForm
          form={form}
          legend="Times that have started no run, 100 at most, one run after another"
          submit="Take them"
          request={{ method: 'POST', path: `/api/schedules/${encodeURIComponent(id)}/backfill`, body }}
          send={async (options) => await client.schedules.backfill(id, body, options)}
          stale={[KEYS.schedules, KEYS.runs]}
          onDone={({ times }) => setTaken(times.length)}
        />
        {taken !== null && (
          <Notice kind="ok">{taken === 1 ? 'One time is taken.' : `${taken} times are taken.`}</Notice>
        )}
      </div>
    </details>
  );
}
