import { applyWrites } from '../channels/apply-writes.ts';
import { START } from '../definition/definition.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { reduceContext } from './draft.ts';
import type { Draft, Frame } from './draft.ts';
import { fire } from './fire-edges.ts';
import { saveCheckpoint } from './save-checkpoint.ts';

/** Takes the input through the reducers and finds the first nodes. @param startAt a node to begin with instead of those */
export function enterScope(
  draft: Draft,
  frame: Frame,
  { input, startAt }: { input: JsonObject; startAt: string | null },
): RunError | null {
  const { graph, scope } = frame;
  const writes = [{ by: 'the input', node: START, update: input }];
  const applied = applyWrites(graph.channels, scope.channels, { writes, context: reduceContext(draft, frame) });
  if (!applied.ok) {
    saveAll(draft, frame);
    return { code: applied.error.code, message: applied.error.message };
  }
  scope.channels = applied.channels;
  if (startAt !== null) {
    scope.pendingEdges = [];
    scope.triggers = [{ node: startAt }];
  }
  const failure = fire(draft, frame);
  saveAll(draft, frame);
  scope.step = 0;
  return failure;
}

/** The first checkpoint holds every channel: those after it, what has changed. */
function saveAll(draft: Draft, frame: Frame): void {
  const { channels, step } = frame.scope;
  const everything = Object.entries(channels).map(([name, value]) => [name, { set: value }]);
  saveCheckpoint(draft, frame, { source: 'input', changes: Object.fromEntries(everything), step, visited: [] });
}
