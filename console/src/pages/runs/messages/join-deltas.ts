/** A piece of a model's answer, while the model still writes it (`docs/streams.md`). */
export interface ModelDelta {
  readonly node: string;
  readonly path?: readonly string[];
  readonly visit: number;
  readonly attempt: number;
  readonly callKey: string;
  readonly index: number;
  readonly text: string;
}

/** What a model has said so far in a call that goes on. */
export interface PartialReply {
  readonly callKey: string;
  readonly node: string;
  readonly attempt: number;
  /** The number of the next piece. */
  readonly next: number;
  readonly text: string;
  /** Pieces are missing: the reader came late, or was away. */
  readonly hasGaps: boolean;
}

export type PartialReplies = ReadonlyMap<string, PartialReply>;

/** Adds a piece to what is known. A later attempt replaces the one before, and an older one is left out. */
export function joinDelta(replies: PartialReplies, delta: ModelDelta): PartialReplies {
  const { callKey, node, attempt, index, text } = delta;
  const known = replies.get(callKey);
  if (known && attempt < known.attempt) return replies;
  const goesOn = known?.attempt === attempt ? known : { next: 0, text: '', hasGaps: false };
  if (index < goesOn.next) return replies;
  const hasGaps = goesOn.hasGaps || index > goesOn.next;
  const joined = { callKey, node, attempt, next: index + 1, text: goesOn.text + text, hasGaps };
  return new Map(replies).set(callKey, joined);
}

/** Leaves out the calls that have ended: the history has their replies. */
export function withoutCalls(replies: PartialReplies, ended: ReadonlySet<string>): readonly PartialReply[] {
  return [...replies.values()].filter(({ callKey }) => !ended.has(callKey));
}
