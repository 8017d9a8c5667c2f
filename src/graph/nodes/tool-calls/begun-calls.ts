import type { NodePosition, SavedProgress } from '../../run/scope.ts';
import type { BatchCall, ToolBatch } from '../../run/tool-batch.ts';

/**
 * Returns saved progress with what a later position of the same batch must not lose, however little room there is: which
 * calls have begun, and which wait for a person. An answer is left out: the call is made again under its key.
 */
export function withBegunCalls(saved: SavedProgress | null, later: NodePosition): SavedProgress | null {
  if (saved?.kind === 'agent' && later.kind === 'agent' && isSameBatch(saved.batch, later.batch)) {
    const { callsMade } = later.conversation;
    return { ...saved, batch: begun(saved.batch, later.batch), conversation: { ...saved.conversation, callsMade } };
  }
  if (saved?.kind === 'calls' && later.kind === 'calls' && isSameBatch(saved.batch, later.batch))
    return { ...saved, batch: begun(saved.batch, later.batch), callsMade: later.callsMade };
  return saved;
}

/** One step begins a batch or continues it, so batches of one length are the same. A model's turn has none. */
function isSameBatch(before: ToolBatch, after: ToolBatch): boolean {
  return before.length > 0 && before.length === after.length;
}

function begun(before: ToolBatch, after: ToolBatch): ToolBatch {
  return before.map((call, at) => latest(call, after[at]));
}

function latest(before: BatchCall, after: BatchCall = before): BatchCall {
  return after.state.phase === 'open' || after.state.phase === 'intervention' ? after : before;
}
