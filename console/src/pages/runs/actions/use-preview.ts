import { useQuery } from '@tanstack/react-query';
import type { Run } from 'holdfast/client';
import { useMemo } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { nodesOf } from '../../../graph/definition.ts';
import { useHistory } from '../history/use-history.ts';
import { useDefinition } from '../definition/use-definition.ts';
import { previewOf } from './preview-of.ts';
import type { Preview, PreviewedAction } from './preview-of.ts';

const MOST_TOOLS = 200;

/** What an action would keep and make again; `null` while the history is not known. */
export function usePreview(run: Run, action: PreviewedAction): Preview | null {
  const client = useApi();
  const { data: history } = useHistory(run.id);
  const { data: definition } = useDefinition(run);
  const { data: tools } = useQuery({
    queryKey: [...KEYS.tools, 'effects'],
    queryFn: async ({ signal }) => await client.tools.list({ limit: MOST_TOOLS }, { signal }).page(),
  });
  return useMemo(() => {
    if (!history) return null;
    const effects = new Map(tools?.items.map(({ name, effect }) => [name, effect]));
    const nodes = definition ? nodesOf(definition) : [];
    const compensated = new Set(nodes.flatMap(([id, { compensate }]) => (compensate === undefined ? [] : [id])));
    return previewOf(action, { events: history.events, effects, compensated });
  }, [history, tools, definition, action]);
}
