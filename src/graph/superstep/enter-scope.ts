import { START } from '../definition/definition.ts';
import type { Frame } from '../draft/frames.ts';
import { moveTo, advanceStep, writeChannels } from '../draft/scope-draft.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { triggerNextNodes } from './next-nodes.ts';
import { saveFullCheckpoint } from './save-checkpoint.ts';

/**
 * Writes the input through the reducers and triggers the first nodes. @param startAt replaces the start edges' targets
 */
export function enterScope(
  frame: Frame,
  { input, startAt }: { input: JsonObject; startAt: string | null },
): RunError | null {
  const applied = writeChannels(frame, [{ by: 'the input', node: START, update: input }]);
  if (!applied.ok) {
    saveFullCheckpoint(frame, { source: 'input', step: frame.scope.step, visited: [] });
    return { code: applied.error.code, message: applied.error.message };
  }
  if (startAt !== null) moveTo(frame, { kind: 'edges', finished: [], triggers: [{ node: startAt }] });
  const failure = triggerNextNodes(frame);
  saveFullCheckpoint(frame, { source: 'input', step: frame.scope.step, visited: [] });
  advanceStep(frame);
  return failure;
}
