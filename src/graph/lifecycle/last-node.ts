import type { Detour } from '../compile/compile.ts';
import type { Draft } from '../draft/draft.ts';
import { emitEvent, rootFrame, withDetourAllowance } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { moveToPosition, writeChannels } from '../draft/scope-draft.ts';
import { bytesOfSuperstep } from '../run/held-bytes.ts';
import { nodesWithUnknownOutcome } from '../run/unknown-outcomes.ts';
import { restoreFailedPosition } from '../superstep/close-superstep.ts';
import { openSuperstep } from '../superstep/open-superstep.ts';
import type { StopReason } from '../superstep/open-superstep.ts';
import { runSupersteps } from '../superstep/run-supersteps.ts';
import { saveCheckpoint } from '../superstep/save-checkpoint.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import { discardSuperstep } from './cancel.ts';

/*
 * A graph may name a node that runs last when a run is canceled (`onCancel`) or fails (`onFail`). It runs as a superstep
 * without edges, after the compensation. Its own failure is recorded and changes nothing.
 */

/** `finished`: the node has completed or failed, or there is none. */
type LastNodeState = 'waiting' | 'yielded' | 'finished';

/** Runs the `onCancel` node of a canceled run. Each later occurrence calls this again. */
export function runOnCancelNode(draft: Draft): LastNodeState {
  const { run, graph } = draft;
  const { phase } = run;
  if (graph.onCancel === null) return 'finished';
  const frame = rootFrame(draft);
  if (phase.kind === 'canceling') {
    const { by, reason } = phase;
    draft.enter({ kind: 'closing', by, reason, unknown: nodesWithUnknownOutcome(run.root) });
    discardSuperstep(draft);
    openSuperstep(frame, [{ node: graph.onCancel }]);
  }
  return toLastNodeState(runSupersteps(frame));
}

/**
 * Runs the `onFail` node of a failed run. Each later occurrence calls this again.
 * @param error the error of the run
 */
export function runOnFailNode(draft: Draft, error: RunError): LastNodeState {
  const { run, graph } = draft;
  if (graph.onFail === null) return 'finished';
  const frame = rootFrame(draft);
  const isOpen = run.phase.kind === 'closing-failed' || openOnFailNode(frame, graph.onFail, error);
  const state = isOpen ? toLastNodeState(runSupersteps(frame)) : 'finished';
  if (state === 'finished') restoreFailedPosition(frame);
  return state;
}

function toLastNodeState({ kind }: StopReason): LastNodeState {
  return kind === 'waiting' || kind === 'yielded' ? kind : 'finished';
}

/** Leaves the position of the failure and opens the superstep of the node. @returns false if `onFail.write` has failed */
function openOnFailNode(frame: Frame, { to, write }: Detour, error: RunError): boolean {
  const { draft } = frame;
  const { step, at, deferred } = frame.scope;
  const failedAt = { step, at, deferred, counted: draft.run.counted };
  draft.enter({ kind: 'closing-failed', error, failedAt });
  discardSuperstep(draft);
  draft.hold(bytesOfSuperstep(failedAt));
  draft.work.beginSuperstep();
  moveToPosition(frame, { kind: 'ready', triggers: [{ node: to }], hasPassedBreakpoint: true });
  const problem = writeError(frame, { to, write }, error);
  if (!problem) openSuperstep(frame, [{ node: to }]);
  else
    emitEvent(draft, frame, { type: 'node.failed', node: to, visit: visitOf(frame, to), error: problem, attempts: 1 });
  return problem === null;
}

function visitOf({ scope: { visits } }: Frame, node: string): number {
  return (own(visits, node) ?? 0) + 1;
}

/** Writes what `onFail.write` makes of the error. The node reads it. @returns the error of a template or a channel */
function writeError(frame: Frame, { to, write }: Detour, { code, message, node, attempts }: RunError): RunError | null {
  try {
    const error = { code, message, node: node ?? '', attempts: attempts ?? 1 };
    const update = withDetourAllowance(frame, (bindings) => write({ ...bindings, error }));
    if (Object.keys(update).length === 0) return null;
    const applied = writeChannels(frame, [{ by: 'onFail', node: to, update }]);
    if (!applied.ok) return { ...applied.error, node: to };
    saveCheckpoint(frame, { source: 'update', step: frame.step - 1, visited: [] }, applied.changes);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof GraphError)) throw thrown;
    return { ...toRunError(thrown), node: to };
  }
}
