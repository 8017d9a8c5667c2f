import type { ChannelChange } from '../channels/apply-writes.ts';
import type { Draft } from '../draft/draft.ts';
import { emitEvent } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { resumePointNow } from '../journal/resume-point.ts';
import type { Checkpoint, VisitedNodes } from '../journal/resume-point.ts';
import { checkpointId } from '../run/ids.ts';
import { nextNodes } from '../run/scope-position.ts';
import { mapValues } from '../values/collections.ts';
import { isJsonList } from '../values/json.ts';

/** The occasion of a checkpoint. */
interface CheckpointCause extends Pick<Checkpoint, 'source' | 'step'> {
  readonly visited: VisitedNodes;
}

/** Saves a checkpoint of the run's own graph, which includes its subgraphs. */
export function saveCheckpoint(
  frame: Frame,
  { source, step, visited }: CheckpointCause,
  changes: Checkpoint['changes'],
): void {
  if (frame.path.length > 0) return;
  const { draft } = frame;
  const { run } = draft;
  const id = checkpointId({ runId: run.id, number: draft.increment('checkpoint') });
  const next = nextNodes(frame.scope);
  const { seq } = emitEvent(draft, frame, { type: 'checkpoint.saved', checkpoint: id, source, next });
  releaseLists(draft, changes);
  draft.addCheckpoint({
    id,
    parentId: run.checkpointId,
    seq,
    step,
    source,
    next,
    createdAt: draft.timestamp,
    changes: withoutEphemeral(frame, changes),
    resumePoint: resumePointNow(run, visited),
  });
}

/** Saves a checkpoint with all channels. The first checkpoint of a run is one; later ones contain changes. */
export function saveFullCheckpoint(frame: Frame, cause: CheckpointCause): void {
  const changes = mapValues(frame.scope.channels, (value) => ({ set: value }));
  saveCheckpoint(frame, cause, changes);
}

type ChannelChanges = Checkpoint['changes'];

/** Drops ephemeral channels. */
function withoutEphemeral({ graph }: Frame, changes: ChannelChanges): ChannelChanges {
  if (graph.ephemeral.length === 0) return changes;
  return Object.fromEntries(Object.entries(changes).filter(([channel]) => !graph.channels.get(channel)?.ephemeral));
}

/** Stops lists from being extended in place, because a checkpoint refers to them. */
function releaseLists({ owned }: Draft, changes: Readonly<Record<string, ChannelChange>>): void {
  for (const change of Object.values(changes)) {
    if ('set' in change && isJsonList(change.set)) owned.release(change.set);
  }
}
