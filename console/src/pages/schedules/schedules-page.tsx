import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import type { Schedule } from 'holdfast/client';
import { NewSchedulePage } from './schedule-form.tsx';
import { SchedulePage } from './schedule-page.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { Status } from '../../parts/status.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { formatTimes } from './schedule-draft.ts';
import { toSchedule } from '../paths.ts';
import { ListPage } from '../../parts/list-page.tsx';
import type { ListedResource } from '../../parts/list-page.tsx';

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

const SCHEDULES: ListedResource<Schedule> = { key: KEYS.schedules, of: ({ schedules }) => schedules };

/** The schedules of the tenant, the newest first. */
function ScheduleList(): JSX.Element {
  return (
    <ListPage
      title="Schedules"
      about="Runs that begin at times of their own."
      resource={SCHEDULES}
      add={{ href: '/schedules/new', label: 'New schedule' }}
      empty={{ title: 'There is no schedule', advice: 'Make one by “New schedule”.' }}
      columns={['Graph', 'Times', 'Next', 'Last', 'State']}
    >
      {(schedule) => <Row key={schedule.id} schedule={schedule} />}
    </ListPage>
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
      <td>{formatTimes(schedule)}</td>
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
