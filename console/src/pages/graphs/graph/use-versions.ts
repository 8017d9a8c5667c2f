import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import type { Pages } from '../../../api/use-pages.ts';
import type { GraphSummary } from 'holdfast/client';

const PAGE = { limit: 100 };

/** The versions of a graph, the newest first. */
export function useVersions(name: string): Pages<GraphSummary> {
  const client = useApi();
  return usePages([...KEYS.graph(name), 'versions'], (options) => client.graphs.versions(name, PAGE, options));
}
