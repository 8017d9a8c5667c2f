import type { Draft } from '../draft/draft.ts';
import { rootFrame } from '../draft/frames.ts';
import { moveTo } from '../draft/scope-draft.ts';
import type { Visited } from '../journal/resume-point.ts';
import { discardSuperstep } from '../lifecycle/cancel.ts';
import { editChannels, saveEdit } from '../lifecycle/edit-channels.ts';
import { actorIn, refuseAsking, refuseReaching } from '../lifecycle/held-nodes.ts';
import { reopenRun } from '../lifecycle/reopen.ts';
import { resumeRun } from '../lifecycle/resume.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import { TAKEN_IN, hasEnded } from '../run/status.ts';
import { refuseBypass } from './checks/bypass-approval.ts';
import { refuseCompensated, refuseOtherCheckpoint, refuseUnknownNode, refuseUnlessStatus } from './checks/refusals.ts';
import { refused, taken, textOf, valuesOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Sends the run to one node and discards the open superstep. */
export const replan: SignalKind = {
  description: 'Go on at this node only: {"node", "values"?}',
  properties: { node: { type: 'string' }, values: { type: 'object' }, checkpoint: { type: 'string' } },
  alsoTaken: 'ended',
  handle(draft, { payload, by }) {
    const node = textOf(payload, 'node') ?? '';
    const refusal = refuseOtherCheckpoint(draft, payload) ?? refuseReplan(draft, node, by);
    if (refusal) return refused(refusal);
    const edited = editChannels(draft, { values: valuesOf(payload) ?? {}, by });
    if (!edited.ok) return refused(edited.refusal);
    draft.addShaper(by);
    const visited = goTo(draft, node);
    saveEdit(draft, edited.changes, visited);
    if (hasEnded(draft.run)) reopenRun(draft);
    else resumeRun(draft, by.sub);
    return taken();
  },
};

function refuseReplan(draft: Draft, node: string, by: Principal): Refusal | null {
  return (
    refuseUnlessStatus(draft, TAKEN_IN.replan, 'replanned') ??
    refuseCompensated(draft) ??
    refuseUnknownNode(draft, node, '/node') ??
    refuseBypass(draft, by) ??
    refuseReaching(draft.graph, [node], actorIn(draft, by)) ??
    refuseAsking(draft.graph, node, actorIn(draft, by))
  );
}

/** A run that is stopped at the breakpoint before the node continues past it. */
function goTo(draft: Draft, node: string): Visited {
  const { at } = draft.run.root;
  const hasPassedBreakpoint = at.kind === 'before' && at.nodes.includes(node);
  const visited = discardSuperstep(draft);
  moveTo(rootFrame(draft), { kind: 'ready', triggers: [{ node }], hasPassedBreakpoint });
  return visited;
}
