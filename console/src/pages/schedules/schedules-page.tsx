import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import type { Schedule } from 'holdfast/client';
import { NewSchedulePage } from './schedule-form.tsx';
import { SchedulePage } from './schedule-page.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { tellTimes } from './schedule-draft.ts';
import { toSchedule } from '../paths.ts';

/** All pages of schedules: the list, a new one, and one of them. */
export function SchedulesPage(): JSX.Element {
  return (
    <Switch>
      <Route path="/schedules/new">
        <NewSchedulePage />
      </Route>
      <Route path="/schedules/:id">{({ id }) => <SchedulePage key={id} id={id} />}</Route>
      <Route>
        <ScheduleList />
      </Route>
    </Switch>
  );
}

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
