import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import { NewGraphPage } from './definition-editor.tsx';
import { GraphPage } from './graph-page.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Ago } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { toGraph } from '../paths.ts';

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

const PAGE = { limit: 50 };

/** The newest version of each graph, by name. */
export function GraphList(): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.graphs, 'list'], (options) => client.graphs.list(PAGE, options));
  return (
    <>
      <PageHeader title="Graphs" about="What runs go through. Each change is a version of its own.">
        <Link href="/graphs/-/new" className="button">
          New graph
        </Link>
      </PageHeader>
      <PagesView pages={pages} empty={<Empty title="No graph is published">Publish one by “New graph”.</Empty>}>
        {(graphs) => (
          <Table label="Graphs" columns={['Name', 'Version', 'Published', 'By', { forReaders: 'Go on' }]}>
            {graphs.map(({ name, version, createdAt, createdBy }) => (
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
            ))}
          </Table>
        )}
      </PagesView>
    </>
  );
}
