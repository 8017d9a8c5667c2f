import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { isMembers } from '../../form/fields-of.ts';

interface ExpiryProps {
  readonly runId: string;
  readonly node: string;
  readonly tool: string | undefined;
}

const EFFECTS: Readonly<Record<string, string>> = {
  expire: 'Then it expires, and the run goes on without a decision.',
  reject: 'Then it counts as rejected.',
  approve: 'Then it counts as approved, as proposed.',
  fail: 'Then the node fails.',
};
const OF_TOOL = 'Then the call is not made.';

/** Says what becomes of the run when nobody decides in time. */
export function Expiry({ runId, node, tool }: ExpiryProps): JSX.Element {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.run(runId), 'expiry', node],
    staleTime: Infinity,
    enabled: tool === undefined,
    async queryFn({ signal }) {
      const { graph } = await client.runs.get(runId, { signal });
      if (graph.version === null) return null;
      return effectOf((await client.graphs.get(graph.name, graph.version, { signal })).definition, node);
    },
  });
  return <>{tool === undefined ? data : OF_TOOL}</>;
}

/** @returns `null` for a node of a subgraph, whose definition is another */
function effectOf(definition: unknown, node: string): string | null {
  const nodes = isMembers(definition) ? definition['nodes'] : null;
  const found = isMembers(nodes) ? nodes[node] : null;
  if (!isMembers(found)) return null;
  const { onTimeout = 'expire' } = found;
  return typeof onTimeout === 'string' ? (EFFECTS[onTimeout] ?? null) : null;
}
