import type { JSX } from 'react';
import { Route, Switch } from 'wouter';
import { NewGraphPage } from './edit/new-graph-page.tsx';
import { GraphPage } from './one/graph-page.tsx';
import { GraphList } from './list/graph-list.tsx';

/** All pages of graphs: the list, a new one, and one of them. No graph is called `-`. */
export function GraphsPage(): JSX.Element {
  return (
    <Switch>
      <Route path="/graphs/-/new">
        <NewGraphPage />
      </Route>
      <Route path="/graphs/:name/:tab?">
        {({ name, tab }) => <GraphPage key={name} name={name} tab={tab ?? 'diagram'} />}
      </Route>
      <Route>
        <GraphList />
      </Route>
    </Switch>
  );
}
