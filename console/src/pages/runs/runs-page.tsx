import type { JSX } from 'react';
import { Route, Switch } from 'wouter';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { ComparePage } from './compare/compare-page.tsx';
import { RunsList } from './list/runs-list.tsx';

/** The list opens without what draws graphs. */
const RunPage = lazyPart(async () => (await import('./run/run-page.tsx')).RunPage);

/** All pages of runs: the list, one run, two of them side by side. */
export function RunsPage(): JSX.Element {
  return (
    <Switch>
      <Route path="/runs/compare/:left?/:right?">
        {({ left = '', right = '' }) => <ComparePage key={`${left} ${right}`} left={left} right={right} />}
      </Route>
      <Route path="/runs/:id/:tab?">{({ id, tab }) => <RunPage key={id} id={id} tab={tab ?? 'graph'} />}</Route>
      <Route>
        <RunsList />
      </Route>
    </Switch>
  );
}
