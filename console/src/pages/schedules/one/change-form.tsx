import type { Schedule } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { Notice } from '../../../parts/notice.tsx';
import { toChange, toForm } from '../form/schedule-draft.ts';
import { SCHEDULE_SCHEMA } from '../form/schedule-schema.ts';

interface ChangeFormProps {
  readonly schedule: Schedule;
  readonly onDone: () => void;
}

/** Changes a schedule. What the form leaves as it was is not sent. */
export function ChangeForm({ schedule, onDone }: ChangeFormProps): JSX.Element {
  const client = useApi();
  // The form stays with what it has shown, also when the schedule is read again.
  const [before] = useState(schedule);
  const [initial] = useState(() => toForm(before));
  const form = useForm(SCHEDULE_SCHEMA, initial);
  const body = toChange(before, form.value);
  return (
    <section className="card narrow stack" aria-label="Change the schedule">
      <Notice kind="info">Its runs act as you from then on.</Notice>
      <RequestForm
        form={form}
        legend="Change the schedule"
        submit="Save"
        request={{ method: 'PATCH', path: `/api/schedules/${encodeURIComponent(before.id)}`, body }}
        send={async (options) => await client.schedules.change(before.id, body, options)}
        stale={[KEYS.schedules]}
        onDone={onDone}
      />
    </section>
  );
}
