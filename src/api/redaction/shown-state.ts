import { hideChannels, REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** Channel values, and writes that are not applied yet. */
interface State {
  readonly values: JsonObject;
  readonly pending: readonly { readonly update: JsonObject }[];
}

/** A state without what is hidden. */
export function shownState<T extends State>(state: T, hidden: Redaction): T {
  return {
    ...state,
    values: hideChannels(state.values, hidden),
    pending: state.pending.map((write) => ({ ...write, update: hideChannels(write.update, hidden) })),
  };
}

/** A channel whose values differ in two runs. */
interface Difference {
  readonly channel: string;
  readonly left: Json;
  readonly right: Json;
}

/** A comparison of two runs without what is hidden of either. */
export function shownDiff<T extends { readonly state: readonly Difference[] }>(
  diff: T,
  hidden: readonly Redaction[],
): T {
  const isHidden = ({ channel }: Difference): boolean => hidden.some(({ channels }) => channels.includes(channel));
  const state = diff.state.map((one) => (isHidden(one) ? { ...one, left: REDACTED, right: REDACTED } : one));
  return { ...diff, state };
}
