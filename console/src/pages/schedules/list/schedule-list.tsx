import type { Schedule } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { Empty } from '../../../parts/empty.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { Ago, Time } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import { tellTimes } from '../parts/tell-times.ts';
import { toSchedule } from '../parts/to-schedule.ts';

const PAGE = { limit: 50 };

/** The schedules of the tenant, the newest first. */
export function ScheduleList(): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.schedules, 'list'], (options) => client.schedules.list(PAGE, options));
  return (
    <>
      <PageHeader title="Schedules" about="Runs that begin at times of their own.">
        <Link href="/schedules/new" className="button">
          New schedule
        </Link>
      </PageHeader>
      <PagesView pages={pages} empty={<Empty title="There is no schedule">Make one by “New schedule”.</Empty>}>
        {(schedules) => (
          <Table label="Schedules" columns={['Graph', 'Times', 'Next', 'Last', 'State']}>
            {schedules.map((schedule) => (
              <Row key={schedule.id} schedule={schedule} />
            ))}
          </Table>
        )}
      </PagesView>
    </>
  );
}

function Row({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { id, graph, paused, nextTimes, lastRuns } = schedule;
  const [next] = nextTimes ?? [];
  const [last] = lastRuns;
  return (
    <tr>
      <th scope="row">
        <Link href={toSchedule(id)}>{graph}</Link>
      </th>
      <td>{tellTimes(schedule)}</td>
      <td>{next === undefined || paused ? '—' : <Time at={next} />}</td>
      <td>
        {last ? (
          <>
            {last.outcome}, <Ago at={last.at} />
          </>
        ) : (
          '—'
        )}
      </td>
      <td>
        <Status of={paused ? 'paused' : 'active'} />
      </td>
    </tr>
  );
}
