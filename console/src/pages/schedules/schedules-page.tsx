import type { JSX } from 'react';
import { Route, Switch } from 'wouter';
import { NewSchedulePage } from './form/new-schedule-page.tsx';
import { ScheduleList } from './list/schedule-list.tsx';
import { SchedulePage } from './one/schedule-page.tsx';

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
