import type { Schedule } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { Notice } from '../../../parts/notice.tsx';
import { readSpan } from './read-span.ts';

const SCHEMA = {
  type: 'object',
  required: ['from', 'to'],
  properties: {
    from: { type: 'string', title: 'From', description: 'Such as 2026-11-20, or 2026-11-20T06:00 in your time zone' },
    to: { type: 'string', title: 'To', description: 'A time that is over' },
  },
} as const;

/** Takes the times of a schedule between two that are over. */
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
          legend="Times that were not taken, 100 at most, one run after another"
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
