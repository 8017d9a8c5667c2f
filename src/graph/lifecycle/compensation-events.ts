import type { Draft } from '../draft/draft.ts';
import { emit } from '../draft/emit.ts';
import type { CompensationEventBody, TaskEventBody } from '../journal/events.ts';
import type { TaskReference } from '../run/ids.ts';

/** Records an event about a compensated task, whose superstep may be over. */
export function emitOfCompensation(
  draft: Draft,
  { path = [], ...task }: TaskReference,
  body: CompensationEventBody | TaskEventBody,
): void {
  emit(draft, { step: draft.run.root.step, path }, { ...task, ...body });
}

/** Returns one line for the Temporal Web UI, such as `compensate pay #2`. */
export function summaryOfCompensation(what: string, { path = [], node, visit }: TaskReference): string {
  return `${what} ${[...path, node].join('/')} #${visit}`;
}
