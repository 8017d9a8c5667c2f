import type { Permission } from '../../graph/definition/index.ts';

/** Those of whom one is enough to read graphs. */
export const GRAPH_READERS: readonly Permission[] = ['run:read', 'graph:publish'];
