import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { Empty } from '../../../parts/empty.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import { toGraph } from '../graph/to-graph.ts';

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
