import type { Draft } from '../draft.ts';
import { rootFrame } from '../frames.ts';
import { didYouMean } from '../nearest.ts';
import type { Principal, Refusal } from '../run.ts';
import { editChannels, saveEdit } from '../update-state.ts';
import { abandon } from './abandon.ts';
import { refusePassing } from './pass-approval.ts';
import { release, valuesOf } from './pause.ts';
import { refused, taken, textOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Goes on at another node only; what was open is given up. */
export const replan: SignalKind = {
  description: 'Go on at this node only: {"node", "values"?}',
  properties: { node: { type: 'string' }, values: { type: 'object' } },
  handle(draft, { payload, by }) {
    const node = textOf(payload, 'node') ?? '';
    const values = valuesOf(payload);
    const refusal = refusalOf(draft, node, by) ?? editChannels(draft, { values: values ?? {}, by: by.sub });
    if (refusal) return refused(refusal);
    abandon(draft);
    rootFrame(draft).scope.triggers = [{ node }];
    saveEdit(draft);
    release(draft, by.sub);
    return taken();
  },
};

function refusalOf(draft: Draft, node: string, by: Principal): Refusal | null {
  const { graph, run } = draft;
  if (run.status !== 'waiting' && run.status !== 'paused')
    return {
      code: 'NOT_ALLOWED_NOW',
      message: `The run is ${run.status}; it is replanned while it waits or is paused`,
    };
  if (!graph.nodes.has(node)) {
    const message = `There is no node "${node}".${didYouMean(node, graph.nodes.keys())}`;
    return { code: 'MALFORMED', message, issues: [{ path: '/node', message }] };
  }
  return refusePassing(draft, by);
}
