import { START } from '../definition/definition.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { fire } from './fire-edges.ts';
import type { Frame } from './frames.ts';
import { saveCheckpoint } from './save-checkpoint.ts';
import { moveTo, nextStep, writeChannels } from './scope-draft.ts';

/**
 * Writes the input through the reducers and triggers the first nodes. @param startAt replaces the start edges' targets
 */
export function enterScope(
  frame: Frame,
  { input, startAt }: { input: JsonObject; startAt: string | null },
): RunError | null {
  const applied = writeChannels(frame, [{ by: 'the input', node: START, update: input }]);
  if (!applied.ok) {
    saveAll(frame);
    return { code: applied.error.code, message: applied.error.message };
  }
  if (startAt !== null) moveTo(frame, { kind: 'edges', finished: [], triggers: [{ node: startAt }] });
  const failure = fire(frame);
  saveAll(frame);
  nextStep(frame);
  return failure;
}

/** The first checkpoint contains every channel; later ones contain changes. */
function saveAll(frame: Frame): void {
  const { channels, step } = frame.scope;
  const everything = Object.entries(channels).map(([name, value]) => [name, { set: value }]);
  saveCheckpoint(frame, { source: 'input', changes: Object.fromEntries(everything), step, visited: [] });
}
