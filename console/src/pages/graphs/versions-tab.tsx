import type { Graph, GraphSummary } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagesView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { toGraph } from '../paths.ts';
import { useVersions } from './versions.tsx';

/** All versions of a graph, the newest first. */
export function VersionsTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const pages = useVersions(graph.name);
  return (
    <PagesView pages={pages} empty={<Empty title="No version is there" />}>
      {(versions) => (
        <Table
          label={`Versions of ${graph.name}`}
          columns={['Version', 'Content', 'Published', 'By', 'State', { forReaders: 'What to do' }]}
        >
          {versions.map((version, index) => (
            <Version key={version.version} of={version} before={versions[index + 1]} />
          ))}
        </Table>
      )}
    </PagesView>
  );
}

interface VersionProps {
  readonly of: GraphSummary;
  /** `undefined` if there is none. */
  readonly before: GraphSummary | undefined;
}

function Version({
  of: { name, version, hash, createdAt, createdBy, unpublished, current },
  before,
}: VersionProps): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <Link href={toGraph(name, '', version)}>{version}</Link>
      </th>
      <td>
        <code title={hash}>{hash.slice(0, 12)}</code>
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>{createdBy}</td>
      <td>
        <Status of={unpublished === null ? 'active' : 'disabled'} label={toState({ unpublished, current })} />
      </td>
      <td>
        <div className="row">
          {before !== undefined && (
            <Link href={`${toGraph(name, 'compare', version)}&from=${before.version}`} className="button small">
              Compare with {before.version}
            </Link>
          )}
          {unpublished === null && <Unpublish name={name} version={version} />}
        </div>
      </td>
    </tr>
  );
}

/** Of a name without a version, runs use the current one. */
function toState({ unpublished, current }: Pick<GraphSummary, 'unpublished' | 'current'>): string {
  if (unpublished) return 'taken back';
  return current ? 'published, current' : 'published';
}

function Unpublish({ name, version }: Pick<GraphSummary, 'name' | 'version'>): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Take back"
      of={`version ${version}`}
      look="small"
      warning={`No new run may name version ${version} then; those that have begun go on. Publishing the same content brings it back.`}
      request={{ method: 'DELETE', path: `/api${toGraph(name)}/versions/${version}` }}
      send={async (options) => await client.graphs.unpublish(name, version, options)}
      stale={[KEYS.graphs]}
    />
  );
}
