import type { ChannelSet } from '../channels/channel.ts';
import type { Run } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';

/** A run that has ended, without the values of its channels: its checkpoints hold these. */
export type EndedRunState = Run;

/** Takes away what the checkpoints hold. Ephemeral channels are in none. */
export function toEndedState(run: Run, { channels }: ChannelSet): EndedRunState {
  const kept = Object.entries(run.root.channels).filter(([name]) => channels.get(name)?.ephemeral);
  return { ...run, root: { ...run.root, channels: Object.fromEntries(kept) } };
}

/** Puts the values of its last checkpoint back into a run. */
export function fromEndedState(closed: EndedRunState, channels: Scope['channels']): Run {
  return { ...closed, root: { ...closed.root, channels: { ...channels, ...closed.root.channels } } };
}
