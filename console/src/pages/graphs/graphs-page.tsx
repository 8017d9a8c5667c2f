import type { GraphSummary } from 'holdfast/client';
import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import { NewGraphPage } from './definition-editor.tsx';
import { GraphPage } from './graph-page.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { Ago } from '../../parts/time.tsx';
import { toGraph } from '../paths.ts';
import { ListPage } from '../../parts/list-page.tsx';
import type { ListedResource } from '../../parts/list-page.tsx';

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

const GRAPHS: ListedResource<GraphSummary> = { key: KEYS.graphs, of: ({ graphs }) => graphs };

/** The current version of each graph, by name. */
function GraphList(): JSX.Element {
  return (
    <ListPage
      title="Graphs"
      about="What runs go through. Each change is a version of its own."
      resource={GRAPHS}
      add={{ href: '/graphs/-/new', label: 'New graph' }}
      empty={{ title: 'No graph is published', advice: 'Publish one by “New graph”.' }}
      columns={['Name', 'Version', 'Published', 'By', { forReaders: 'Go on' }]}
    >
      {({ name, version, createdAt, createdBy }) => (
        <tr key={name}>
          <th scope="row">
            <Link href={toGraph(name)}>{name}</Link>
          </th>
          <td>{version}</td>
          <td>
            <Ago at={createdAt} />
          </td>
          <td>{createdBy}</td>
          <td>
            <Link href={toGraph(name, 'start')} className="button small">
              Start a run<span className="for-readers"> of {name}</span>
            </Link>
          </td>
        </tr>
      )}
    </ListPage>
  );
}
