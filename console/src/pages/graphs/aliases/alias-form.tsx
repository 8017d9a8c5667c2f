import type { Graph, GraphAlias } from 'holdfast/client';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { toGraph } from '../graph/to-graph.ts';
import { readAlias } from './read-alias.ts';

interface AliasFormProps {
  readonly graph: Graph;
  /** The one that is changed; `null` for a new one. */
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

/** Sets an alias of a graph, with a canary if there is one. */
export function AliasForm({ graph, edited, onDone }: AliasFormProps): JSX.Element {
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
