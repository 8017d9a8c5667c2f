import { emit } from '../draft/emit.ts';
import type { Frame } from '../draft/frames.ts';
import { moveTo, setTasks } from '../draft/scope-draft.ts';
import type { ReadyScope, Trigger } from '../run/scope.ts';
import { mayOpenStep } from '../run/status.ts';
import type { RunError } from '../values/errors.ts';
import { stopAtBreakpointBefore } from './breakpoints.ts';
import { ceilingReached } from './ceilings.ts';
import { planTasks } from './plan-tasks.ts';
import type { Standing } from './standing.ts';

/** Opens the next superstep, if nodes are triggered and the run may continue. @returns `null` if it is open */
export function openNextSuperstep(frame: Frame, at: ReadyScope): Standing | null {
  const { draft, graph, path, step } = frame;
  const { triggers } = releaseDeferred(frame, at);
  if (!mayOpenStep(draft.run, path.length > 0)) return { kind: 'paused' };
  if (triggers.length === 0) return { kind: 'finished' };
  const limit = path.length === 0 ? draft.run.limits.maxSteps : graph.maxSteps;
  if (step >= limit) return { kind: 'failed', error: recursionLimit(step, limit) };
  const error = ceilingReached(frame, triggers.length);
  if (error) return { kind: 'failed', error };
  if (stopAtBreakpointBefore(frame)) return { kind: 'paused' };
  openSuperstep(frame, triggers);
  return null;
}

/** Opens a superstep with the given triggers. */
export function openSuperstep(frame: Frame, triggers: readonly Trigger[]): void {
  const tasks = planTasks(triggers, frame.scope.visits);
  setTasks(frame, tasks);
  emit(frame.draft, frame, { type: 'step.started', nodes: [...new Set(tasks.map(({ node }) => node))] });
}

/** Triggers deferred nodes when no other node is left to run. */
function releaseDeferred(frame: Frame, at: ReadyScope): ReadyScope {
  const { deferred } = frame.scope;
  if (at.triggers.length > 0 || deferred.length === 0) return at;
  const released = { ...at, triggers: deferred };
  moveTo(frame, released, []);
  return released;
}

function recursionLimit(step: number, limit: number): RunError {
  return {
    code: 'GRAPH_RECURSION_LIMIT',
    message: `Superstep ${step} would be number ${step + 1}; maxSteps is ${limit}`,
    step,
  };
}
