import type { ResumePoint } from '../journal/resume-point.ts';
import { mapValues } from '../values/collections.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/**
 * What callers without the right to see payloads do not see of a run: redacted channels, and all that is derived from
 * them. It is plain JSON, found once and pinned with the run.
 */
export interface Redaction extends GraphRedaction {
  /** The published graphs inside, by the references to them. */
  readonly graphs: Readonly<Record<string, GraphRedaction>>;
  /** Nodes of the run's own graph whose items are hidden. */
  readonly items?: readonly string[];
  /** What comes with events that no node has taken yet. */
  readonly events?: true;
  /** Where configured code has thrown; a run does not say so itself, as it holds for all runs. */
  readonly stacks?: true;
}

/** What is hidden of one graph. */
export interface GraphRedaction {
  /** The channels that are redacted, those that are derived from them, and those that only another run's graph has. */
  readonly channels: readonly string[];
  readonly nodes: Readonly<Record<string, NodeRedaction>>;
}

/** What is hidden of one node. Parts that are not hidden are absent. */
export interface NodeRedaction {
  /** Filled fields, by their names. */
  readonly fields?: Readonly<Record<string, Mask>>;
  /** Arguments and results of the calls that its model asks for. */
  readonly calls?: true;
  /** The result of its call. */
  readonly result?: true;
  /** The values that people give with a decision. */
  readonly values?: true;
  /** The result of its compensation. */
  readonly undone?: true;
  /** The messages of its errors, which may quote values. */
  readonly error?: true;
  /** Of the graph inside: the reference to a published one, or an inline one's own. */
  readonly inside?: string | GraphRedaction;
}

export const NOTHING_REDACTED: Redaction = { channels: [], nodes: {}, graphs: {} };

/** True if a redaction hides anything of the run's values. */
export function isRedacting({ channels, nodes, graphs, items = [], events }: Redaction): boolean {
  return events === true || [channels, Object.keys(nodes), Object.keys(graphs), items].some(({ length }) => length > 0);
}

/** What is hidden of all that a run takes over from another one, by the places where that has it. */
export type Inherited = Partial<Omit<Redaction, 'stacks'>>;

/** The parts of a resume point that hold values. */
type Carried = Pick<ResumePoint, 'triggers' | 'deferred' | 'bufferedEvents'>;

/** Returns what is hidden of what a fork takes over: channels, and the items and events of its resume point. */
export function inheritedByFork(
  { channels, items = [], events }: Redaction,
  { triggers, deferred, bufferedEvents }: Carried,
): Inherited {
  const carried = new Set([...triggers, ...deferred].flatMap(({ node, element }) => (element ? [node] : [])));
  return {
    channels,
    items: items.filter((node) => carried.has(node)),
    ...(events && bufferedEvents.length > 0 && { events }),
  };
}

/**
 * Returns what is hidden of what a replay takes over: how its run began, and the answers that its nodes have got.
 * @param begun where a fork began; `null`: the run is none
 */
export function inheritedByReplay(redaction: Redaction, begun: Carried | null): Inherited {
  const { channels, nodes, graphs } = redaction;
  return { channels, ...(begun && inheritedByFork(redaction, begun)), nodes, graphs };
}

/** What stands in the place of a hidden value. */
export const REDACTED = '[redacted]';

/** The hidden parts of a filled field: all of it, with the words that may be shown, or some members or items. */
export type Mask = string | { readonly in: 'object' | 'list'; readonly parts: Readonly<Record<string, Mask>> };

/** Hides the masked parts of a value. A value that has not the form of the mask is hidden as a whole. */
export function hideMasked(value: Json, mask: Mask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, () => REDACTED);
}

/** As `hideMasked`, but keeps the words that a definition has around the hidden values of a text. */
export function hideInWords(value: Json, mask: Mask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, (words) => words);
}

function applyMask(value: Json, mask: Mask, shown: (words: string) => string): Json {
  if (typeof mask === 'string') return shown(mask);
  const { parts } = mask;
  const hide = (part: Json, key: string): Json => {
    const inner = own(parts, key);
    return inner === undefined ? part : applyMask(part, inner, shown);
  };
  if (mask.in === 'list') return isJsonList(value) ? value.map((item, index) => hide(item, String(index))) : REDACTED;
  return isJsonObject(value) ? mapValues(value, hide) : REDACTED;
}

/** Puts the real parts in the place of `[redacted]`, where a person has sent back what was shown. */
export function restoreMasked(given: Json, real: Json, mask: Mask): Json {
  if (typeof mask === 'string') return given === REDACTED ? real : given;
  const { parts } = mask;
  const restore = (part: Json, key: string, was: Json | undefined): Json => {
    const inner = own(parts, key);
    return inner === undefined || was === undefined ? part : restoreMasked(part, was, inner);
  };
  if (isJsonList(given) && isJsonList(real)) return given.map((item, at) => restore(item, String(at), real[at]));
  if (!isJsonObject(given) || !isJsonObject(real)) return given === REDACTED ? real : given;
  return mapValues(given, (member, key) => restore(member, key, own(real, key)));
}
