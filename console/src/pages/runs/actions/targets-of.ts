import type { Run } from 'holdfast/client';

/** A failed node or call that a control settles. */
export interface Target {
  /** Another failure of the same node has another one. */
  readonly key: string;
  readonly label: string;
  readonly node: string | null;
  /** How a body names it. */
  readonly named: { readonly id?: string; readonly node?: string };
}

/** What can be retried, skipped or failed: what waits for it, or the node that has failed the run. */
export function targetsOf({
  waitingFor,
  error,
  status,
  endedAt,
}: Pick<Run, 'waitingFor' | 'error' | 'status' | 'endedAt'>): readonly Target[] {
  const waiting = waitingFor.flatMap((one): Target[] => {
    if (one.kind !== 'intervention') return [];
    const { id, node, tool, since } = one;
    return [{ key: `${id} ${since}`, label: tool === undefined ? node : `${tool} in ${node}`, node, named: { id } }];
  });
  if (waiting.length > 0 || status !== 'failed') return waiting;
  const node = error?.node;
  const all: Target = { key: `all ${endedAt}`, label: 'whatever has failed', node: null, named: {} };
  return node === undefined ? [all] : [{ key: `node ${node} ${endedAt}`, label: node, node, named: { node } }, all];
}
