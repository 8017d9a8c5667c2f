import type { Draft } from '../draft.ts';
import { emit } from '../draft.ts';
import { GraphError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { interventionId } from '../run-view.ts';
import { openTasks } from '../frames.ts';
import { startAgain } from '../start-again.ts';
import type { Refusal } from '../run.ts';
import { failTask, skipTask } from '../task-progress.ts';
import type { TaskFailure } from '../scope.ts';
import type { TaskFrame } from '../tasks.ts';
import { refuseSpeakingFor } from './pass-approval.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Answer, SignalKind } from './signal.ts';

const WHICH = { node: { type: 'string' }, id: { type: 'string' } } as const;

/** Has the node's work done again. */
export const retry: SignalKind = {
  description: 'Do the failed node again: {"node"? | "id"?}',
  properties: WHICH,
  handle: (draft, { payload, by }) =>
    intervene(draft, payload, (of) => {
      emit(draft, of.frame, { type: 'run.retried', node: of.task.node, by: by.sub });
      startAgain(of);
    }),
};

/** Goes on with an output that a person gives instead of the node's own. */
export const skip: SignalKind = {
  description: 'Go on without the failed node, with an output of yours: {"node"? | "id"?, "output"}',
  properties: { ...WHICH, output: true },
  handle(draft, { payload, by }) {
    try {
      return intervene(draft, payload, (of) => {
        const { graph } = of.frame;
        const refusal = refuseSpeakingFor(draft, graph, { node: of.node.id, by });
        if (!refusal) skipTask(of, payload['output'] ?? null, by.sub);
        return refusal;
      });
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      const issues = [{ path: '/output', message: error.message }];
      return refused({ code: 'MALFORMED', message: `The node can't go on with that output: ${error.message}`, issues });
    }
  },
};

/** Gives the node up: the run fails. */
export const fail: SignalKind = {
  description: 'Give the failed node up, the run fails: {"node"? | "id"?, "reason"?}',
  properties: { ...WHICH, reason: { type: 'string' } },
  handle: (draft, { payload, by }) =>
    intervene(draft, payload, (of, failure) => {
      const reason = textOf(payload, 'reason');
      const message = `${failure.error.message} (given up by ${by.sub}${reason === undefined ? '' : `: ${reason}`})`;
      failTask(of, { ...failure, error: { ...failure.error, message } });
    }),
};

function intervene(
  draft: Draft,
  payload: JsonObject,
  act: (of: TaskFrame, failure: TaskFailure) => Refusal | null | void,
): Answer {
  const waiting = interventions(draft);
  const chosen = waiting.filter(({ of }) => isNamed(of, textOf(payload, 'node'), textOf(payload, 'id')));
  const [only] = chosen;
  if (only && chosen.length === 1) {
    const refusal = act(only.of, only.failure);
    return refusal ? refused(refusal) : taken();
  }
  const names = waiting.map(({ of }) => `${idOf(of)} (${of.task.node})`).join(', ');
  if (only)
    return refused({
      code: 'INTERVENTION_ID_REQUIRED',
      message: `Several nodes wait for an intervention; name one by id: ${names}`,
    });
  if (waiting.length === 0)
    return refused({ code: 'NOT_ALLOWED_NOW', message: 'No node of this run waits for an intervention' });
  return refused({
    code: 'UNKNOWN_INTERVENTION',
    message: `That node does not wait for an intervention; these do: ${names}`,
  });
}

function idOf(of: TaskFrame): string {
  return interventionId(of.frame.trail, of.task);
}

function isNamed(of: TaskFrame, node: string | undefined, id: string | undefined): boolean {
  return (node === undefined || node === of.task.node) && (id === undefined || id === idOf(of));
}

/** A task that waits for a person to retry, skip or fail it. */
interface Intervention {
  readonly of: TaskFrame;
  readonly failure: TaskFailure;
}

function interventions(draft: Draft): Intervention[] {
  return openTasks(draft).flatMap((of) => {
    const { state } = of.task;
    return state.phase === 'intervention' ? [{ of, failure: state.failure }] : [];
  });
}
