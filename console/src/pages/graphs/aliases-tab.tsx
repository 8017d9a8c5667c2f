import type { Graph, GraphAlias } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Ago } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { toGraph } from '../paths.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { readAlias } from './read-alias.ts';

const PAGE = { limit: 100 };

/** The aliases of a graph, and a form that sets one. */
export function AliasesTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const client = useApi();
  const [edited, setEdited] = useState<GraphAlias | null>(null);
  const pages = usePages([...KEYS.graph(graph.name), 'aliases'], (options) =>
    client.graphs.aliases(graph.name, PAGE, options),
  );
  return (
    <div className="stack">
      <PagesView
        pages={pages}
        empty={<Empty title="No alias is set">Runs of {`${graph.name}@live`} would use what “live” names.</Empty>}
      >
        {(aliases) => <Aliases aliases={aliases} onEdit={setEdited} />}
      </PagesView>
      <section className="card narrow" aria-label="Set an alias">
        <AliasForm
          key={edited === null ? '' : `${edited.alias} ${edited.updatedAt}`}
          graph={graph}
          edited={edited}
          onDone={() => setEdited(null)}
        />
      </section>
    </div>
  );
}

interface AliasesProps {
  readonly aliases: readonly GraphAlias[];
  readonly onEdit: (alias: GraphAlias) => void;
}

function Aliases({ aliases, onEdit }: AliasesProps): JSX.Element {
  return (
    <Table label="Aliases" columns={['Alias', 'Version', 'Canary', 'Set', { forReaders: 'What to do' }]}>
      {aliases.map((alias) => (
        <tr key={alias.alias}>
          <th scope="row">{alias.alias}</th>
          <td>{alias.version}</td>
          <td>{alias.canary ? `${percent(alias.canary.share)} to ${alias.canary.version}` : 'none'}</td>
          <td>
            <Ago at={alias.updatedAt} /> by {alias.by}
          </td>
          <td>
            <div className="row">
              <button type="button" className="button small" onClick={() => onEdit(alias)}>
                Change<span className="for-readers"> {alias.alias}</span>
              </button>
              <Remove alias={alias} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });
const percent = (share: number): string => PERCENT.format(share);

function Remove({ alias: { name, alias } }: { readonly alias: GraphAlias }): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Remove"
      of={alias}
      look="small"
      warning={`Who starts runs of ${name}@${alias} is refused then.`}
      request={{ method: 'DELETE', path: `/api${toGraph(name)}/aliases/${encodeURIComponent(alias)}` }}
      send={async (options) => await client.graphs.removeAlias(name, alias, options)}
      stale={[KEYS.graph(name)]}
    />
  );
}

interface AliasFormProps {
  readonly graph: Graph;
  /** The alias to change; `null` for a new one. */
  readonly edited: GraphAlias | null;
  readonly onDone: () => void;
}

const SCHEMA = {
  type: 'object',
  required: ['alias', 'version'],
  properties: {
    alias: { type: 'string', title: 'Alias', description: 'Such as live: runs name the graph with @live behind it' },
    version: { type: 'integer', title: 'Version', minimum: 1 },
    canaryVersion: {
      type: 'integer',
      title: 'Canary: version',
      minimum: 1,
      description: 'A part of new runs gets this version',
    },
    canaryShare: {
      type: 'number',
      title: 'Canary: percent of new runs',
      minimum: 0,
      maximum: 100,
      description: 'A run and those that are sent again with its key get the same version',
    },
  },
};

/** The form that sets an alias of a graph, optionally with a canary. */
function AliasForm({ graph, edited, onDone }: AliasFormProps): JSX.Element {
  const client = useApi();
  const form = useForm(SCHEMA, {
    alias: edited?.alias ?? '',
    version: edited?.version ?? graph.version,
    canaryVersion: edited?.canary?.version,
    canaryShare: edited?.canary ? edited.canary.share * 100 : undefined,
  });
  const { alias, ...body } = readAlias(form.value);
  return (
    <RequestForm
      form={form}
      legend={edited === null ? 'Set an alias' : `Change ${edited.alias}`}
      submit="Set"
      request={{ method: 'PUT', path: `/api${toGraph(graph.name)}/aliases/${encodeURIComponent(alias)}`, body }}
      send={async (options) => await client.graphs.setAlias(graph.name, { alias, ...body }, options)}
      stale={[KEYS.graph(graph.name)]}
      onDone={onDone}
    />
  );
}
