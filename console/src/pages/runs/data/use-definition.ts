import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Client, Run } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import type { Definition } from '../../../graph/definition.ts';
import { readRunGraph } from './read-run-graph.ts';
import type { RunGraph } from './read-run-graph.ts';

/** The query for the graph of a run, with the graphs that it refers to. A graph with a hash never changes. */
export function useRunGraph(run: Run): UseQueryResult<RunGraph> {
  return useQuery(runGraphQuery(useApi(), run));
}

/** The definition of a run's graph. */
export function useDefinition(run: Run): UseQueryResult<Definition> {
  return useQuery({ ...runGraphQuery(useApi(), run), select: ({ definition }) => definition });
}

const runGraphQuery = (client: Client, { id, graph }: Run) =>
  queryOptions({
    // Names within graphs of one hash mean other graphs in another tenant, so the key has the run's id.
    queryKey: [...KEYS.graphs, 'definition', graph.hash, id],
    staleTime: Infinity,
    queryFn: async ({ signal }) => await readRunGraph(client, { id, graph }, signal),
  });

/** The graph that a subgraph refers to: `name`, `name@3` or `name@alias`. */
export function useNamedDefinition(reference: string): UseQueryResult<Definition> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.graphs, 'named', reference],
    queryFn: async ({ signal }) => await readNamed(client, reference, signal),
  });
}

async function readNamed({ graphs }: Client, reference: string, signal: AbortSignal): Promise<Definition> {
  const [name = '', point = ''] = reference.split('@');
  const version = await toVersion();
  return (await graphs.get(name, version, { signal })).definition;

  async function toVersion(): Promise<number | undefined> {
    if (point === '') return undefined;
    return /^\d+$/.test(point) ? Number(point) : (await graphs.alias(name, point, { signal })).version;
  }
}
