import type { Draft } from '../draft/draft.ts';
import { rootFrame } from '../draft/frames.ts';
import { moveToPosition } from '../draft/scope-draft.ts';
import type { VisitedNodes } from '../journal/resume-point.ts';
import { discardSuperstep, cancelRun } from '../lifecycle/cancel.ts';
import { editChannels, saveEdit } from '../lifecycle/edit-channels.ts';
import { toActor, refuseAsking, refuseReaching } from '../lifecycle/gated-nodes.ts';
import { reopenRun, resumeRun } from '../lifecycle/reopen-run.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/occurrence.ts';
import { TAKEN_IN, hasEnded, pauseRequested, statusOf } from '../run/status.ts';
import {
  refuseBypass,
  refuseCompensated,
  refuseOtherCheckpoint,
  refuseUnknownNode,
  refuseUnlessStatus,
  SINCE,
  refuseUnread,
} from './refusals.ts';
import { refuseSignal, acceptSignal, textField, valuesField, REASON } from './signal.ts';
import type { SignalKind } from './signal.ts';
import { renewApprovals } from '../lifecycle/renew-approvals.ts';
import { refreshNextNodes } from '../superstep/edges.ts';
import { formatTimestamp } from '../values/time.ts';

/** Sends the run to one node and discards the open superstep. */
export const replanSignal: SignalKind = {
  description: 'Go on at this node only: {"node", "values"?}',
  properties: { node: { type: 'string' }, values: { type: 'object' }, checkpoint: { type: 'string' } },
  alsoTaken: 'ended',
  handle(draft, { payload, by }) {
    const node = textField(payload, 'node') ?? '';
    const refusal = refuseOtherCheckpoint(draft, payload) ?? refuseReplan(draft, node, by);
    if (refusal) return refuseSignal(refusal);
    const edited = editChannels(draft, { values: valuesField(payload) ?? {}, by });
    if (!edited.ok) return refuseSignal(edited.refusal);
    draft.addEditor(by);
    const visited = goToNode(draft, node);
    saveEdit(draft, edited.changes, visited);
    if (hasEnded(draft.run)) reopenRun(draft);
    else resumeRun(draft, by.sub);
    return acceptSignal();
  },
};

function refuseReplan(draft: Draft, node: string, by: Principal): Refusal | null {
  return (
    refuseUnlessStatus(draft, TAKEN_IN.replan, 'replanned') ??
    refuseCompensated(draft) ??
    refuseUnknownNode(draft, node, '/node') ??
    refuseBypass(draft, by) ??
    refuseReaching(draft.graph, [node], toActor(draft, by)) ??
    refuseAsking(draft.graph, node, toActor(draft, by))
  );
}

/** A run that is stopped at the breakpoint before the node continues past it. */
function goToNode(draft: Draft, node: string): VisitedNodes {
  const { at } = draft.run.root;
  const hasPassedBreakpoint = at.kind === 'before' && at.nodes.includes(node);
  const visited = discardSuperstep(draft);
  moveToPosition(rootFrame(draft), { kind: 'ready', triggers: [{ node }], hasPassedBreakpoint });
  return visited;
}

/** Cancels the run: its calls, timers and approvals are canceled, and no new work begins. */
export const cancelSignal: SignalKind = {
  description: 'End the run as canceled: {"reason"?}',
  properties: { reason: REASON },
  alsoTaken: 'ending',
  handle(draft, { payload, by }) {
    cancelRun(draft, by.sub, textField(payload, 'reason') ?? null);
    return acceptSignal();
  },
};

/** Stops a running run after its superstep, and a waiting one at once. */
export const pauseSignal: SignalKind = {
  description: 'Stop after the superstep that runs: {"reason"?}',
  properties: { reason: REASON },
  handle(draft, { payload, by }) {
    const { run } = draft;
    if (run.phase.kind === 'paused' || pauseRequested(run))
      return refuseSignal({
        code: 'NOT_ALLOWED_NOW',
        message: 'The run is paused already, or will be after this superstep',
      });
    draft.enter({ kind: 'running', pause: { by: by.sub, reason: textField(payload, 'reason') ?? null } });
    return acceptSignal();
  },
};

/** Resumes a paused run, after writing the given values. */
export const resumeSignal: SignalKind = {
  description: 'Go on from a pause or breakpoint: {"values"?, "checkpoint"?}',
  properties: { values: { type: 'object' }, checkpoint: { type: 'string' }, since: SINCE },
  handle(draft, { payload, by }) {
    const { run } = draft;
    if (run.phase.kind !== 'paused')
      return refuseSignal({ code: 'NOT_ALLOWED_NOW', message: `The run is ${statusOf(run)}, not paused` });
    const unread = refuseUnread(payload, formatTimestamp(run.phase.since)) ?? refuseOtherCheckpoint(draft, payload);
    if (unread) return refuseSignal(unread);
    const values = valuesField(payload);
    const edited = values && editChannels(draft, { values, by });
    if (edited?.ok === false) return refuseSignal(edited.refusal);
    if (edited) {
      refreshNextNodes(rootFrame(draft));
      saveEdit(draft, edited.changes);
      renewApprovals(draft);
    }
    resumeRun(draft, by.sub);
    return acceptSignal();
  },
};
