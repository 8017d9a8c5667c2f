import type { RunEvent } from '../../graph/journal/index.ts';
import { forgetOldest } from '../../graph/values/index.ts';

type NodeEvent = Pick<RunEvent & { readonly type: 'node.started' }, 'node' | 'visit' | 'index' | 'path' | 'at'>;

/** Remembers when nodes have begun, until they end. */
export interface NodeClock {
  start(runId: string, event: NodeEvent): void;
  /** @returns the seconds since the beginning; `null`: it is not known here */
  end(runId: string, event: NodeEvent): number | null;
}

/** Nodes that are remembered; the oldest are forgotten. */
const MAX_OPEN = 10_000;

export function createNodeClock(): NodeClock {
  const begun = new Map<string, number>();
  const keyOf = (runId: string, { node, visit, index, path }: NodeEvent): string =>
    JSON.stringify([runId, path ?? [], node, visit, index ?? null]);
  return {
    start(runId, event) {
      begun.set(keyOf(runId, event), Date.parse(event.at));
      forgetOldest(begun, MAX_OPEN);
    },
    end(runId, event) {
      const key = keyOf(runId, event);
      const at = begun.get(key);
      begun.delete(key);
      return at === undefined ? null : Math.max(0, Date.parse(event.at) - at) / 1_000;
    },
  };
}
