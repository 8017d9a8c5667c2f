import { Suspense } from 'react';
import type { JSX } from 'react';
import { Route, Switch } from 'wouter';
import { lazyPart } from '../../parts/query-view.tsx';
import { Loading } from '../../parts/notices.tsx';
import { ComparePage } from './compare-page.tsx';
import { usePreloadedRun } from './data/use-run.ts';
import { RunsList } from './runs-list.tsx';

/** The list opens without the code that draws graphs. */
const RunPage = lazyPart(async () => (await import('./run/run-page.tsx')).RunPage);

/** All pages of runs: the list, one run, two of them side by side. */
export function RunsPage(): JSX.Element {
  return (
    <Switch>
      <Route path="/runs/compare/:left?/:right?">
        {({ left = '', right = '' }) => <ComparePage key={`${left} ${right}`} left={left} right={right} />}
      </Route>
      <Route path="/runs/:id/:tab?">{({ id, tab }) => <OneRun key={id} id={id} tab={tab ?? 'graph'} />}</Route>
      <Route>
        <RunsList />
      </Route>
    </Switch>
  );
}

function OneRun({ id, tab }: { readonly id: string; readonly tab: string }): JSX.Element {
  usePreloadedRun(id);
  return (
    <Suspense fallback={<Loading what="Loading the run" />}>
      <RunPage id={id} tab={tab} />
    </Suspense>
  );
}
