import type { ChannelSet } from '../channels/channel.ts';
import type { Run } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';

/** An ended run without the channel values that its checkpoints hold. */
export type EndedRunState = Run;

/** Removes the values of all channels except the ephemeral ones, which no checkpoint holds. */
export function toEndedState(run: Run, { channels }: ChannelSet): EndedRunState {
  const ephemeral = Object.entries(run.root.channels).filter(([name]) => channels.get(name)?.ephemeral);
  return { ...run, root: { ...run.root, channels: Object.fromEntries(ephemeral) } };
}

/** Restores a run from its state and the channel values of its last checkpoint. */
export function fromEndedState(state: EndedRunState, channels: Scope['channels']): Run {
  return { ...state, root: { ...state.root, channels: { ...channels, ...state.root.channels } } };
}
