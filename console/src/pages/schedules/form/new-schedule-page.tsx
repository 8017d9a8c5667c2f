import type { JSX } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { PageHeader } from '../../../parts/page-header.tsx';
import { toSchedule } from '../parts/to-schedule.ts';
import { toNew } from './schedule-draft.ts';
import { SCHEDULE_SCHEMA } from './schedule-schema.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Makes a schedule. The address may name its graph. */
export function NewSchedulePage(): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const graph = search.get('graph') ?? '';
  const form = useForm(SCHEDULE_SCHEMA, { graph, timeZone: ZONE, overlap: 'skip', paused: false, input: {} });
  const body = toNew(form.value);
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
