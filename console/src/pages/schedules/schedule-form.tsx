import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { Schedule } from 'holdfast/client';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { toSchedule } from '../paths.ts';
import { toNewSchedule, toChange, toForm } from './schedule-draft.ts';
import { Notice } from '../../parts/notices.tsx';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The form that creates a schedule. The address may preset its graph. */
export function NewSchedulePage(): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const graph = search.get('graph') ?? '';
  const form = useForm(SCHEDULE_SCHEMA, { graph, timeZone: ZONE, overlap: 'skip', paused: false, input: {} });
  const body = toNewSchedule(form.value);
  return (
    <div className="stack">
      <Link href="/schedules" className="small-text">
        All schedules
      </Link>
      <PageHeader title="New schedule" about="Its runs act as you." />
      <section className="card narrow" aria-label="The schedule">
        <RequestForm
          form={form}
          legend="Schedule"
          submit="Create"
          request={{ method: 'POST', path: '/api/schedules', body }}
          send={async (options) => await client.schedules.create(body, options)}
          stale={[KEYS.schedules]}
          onDone={({ id }) => navigate(toSchedule(id))}
        />
      </section>
    </div>
  );
}

interface ChangeFormProps {
  readonly schedule: Schedule;
  readonly onDone: () => void;
}

/** The form that changes a schedule. It sends only changed fields. */
export function ChangeForm({ schedule, onDone }: ChangeFormProps): JSX.Element {
  const client = useApi();
  // The form keeps the schedule that it was opened with, also when the query is refreshed.
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

const OVERLAPS = [
  { const: 'skip', title: 'Skip the time' },
  { const: 'buffer', title: 'Start afterwards; one time waits' },
  { const: 'allow', title: 'Start beside it' },
  { const: 'cancelOther', title: 'Cancel that run' },
];

/** The JSON Schema of the form of a schedule. */
const SCHEDULE_SCHEMA = {
  type: 'object',
  required: ['graph', 'timeZone', 'overlap'],
  properties: {
    graph: {
      type: 'string',
      title: 'Graph',
      description: 'Its name, or one with a version or alias behind it: order-summary@live',
    },
    cron: {
      type: 'string',
      title: 'Times, as cron',
      description: 'Minute, hour, day, month, day of the week: 30 6 * * MON-FRI',
    },
    every: { type: 'string', title: 'Or every', description: 'Such as 10m or 1d, in place of cron' },
    timeZone: { type: 'string', title: 'Time zone', description: 'The clock that cron reads, such as Europe/Berlin' },
    overlap: { title: 'While a run of it is not over', oneOf: OVERLAPS },
    paused: { type: 'boolean', title: 'Paused', description: 'No times come until it goes on' },
    input: { title: 'Input', description: 'A JSON object' },
    threadId: { type: 'string', title: 'Thread', description: 'The conversation that each run goes on with' },
    metadata: { title: 'Metadata', description: 'A JSON object, by which its runs are found' },
    limits: { title: 'Limits', description: 'A JSON object; they may only tighten the graph’s' },
  },
} as const;
