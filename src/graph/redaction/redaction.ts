import type { ResumePoint } from '../journal/resume-point.ts';
import { mapValues } from '../values/collections.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/**
 * What callers without the permission to see payloads don't see of a run: redacted channels, and everything derived
 * from them. It is plain JSON, computed once and pinned with the run.
 */
export interface Redaction extends GraphRedaction {
  /** The published graphs inside, by their references. */
  readonly graphs: Readonly<Record<string, GraphRedaction>>;
  /** Nodes of the run's own graph whose items are redacted. */
  readonly items?: readonly string[];
  /** True if the payloads of buffered events are redacted. */
  readonly events?: true;
  /**
   * True if stack positions of configured code are redacted. A run does not store this, because it applies to all runs.
   */
  readonly stacks?: true;
}

/** The redaction of one graph. */
export interface GraphRedaction {
  /** The redacted channels, those derived from them, and redacted names that only another run's graph has. */
  readonly channels: readonly string[];
  readonly nodes: Readonly<Record<string, NodeRedaction>>;
}

/** The redaction of one node. Parts that are visible are absent. */
export interface NodeRedaction {
  /** Masks of filled fields, by name. */
  readonly fields?: Readonly<Record<string, FieldMask>>;
  /** The arguments and results of the calls that its model requests. */
  readonly calls?: true;
  /** The result of the node's call. */
  readonly result?: true;
  /** The values that people give with a decision. */
  readonly values?: true;
  /** The result of the node's compensation. */
  readonly undone?: true;
  /** The messages of the node's errors, which may quote values. */
  readonly error?: true;
  /** The redaction of the graph inside: the reference of a published graph, or the redaction of an inline one. */
  readonly inside?: string | GraphRedaction;
}

export const NOTHING_REDACTED: Redaction = { channels: [], nodes: {}, graphs: {} };

/** True if any value of the run is redacted. */
export function isRedacting({ channels, nodes, graphs, items = [], events }: Redaction): boolean {
  return events === true || [channels, Object.keys(nodes), Object.keys(graphs), items].some(({ length }) => length > 0);
}

/** The redaction of the data that a run takes over from another run, by the locations in the other run. */
export type InheritedRedaction = Partial<Omit<Redaction, 'stacks'>>;

/** The parts of a resume point that hold values. */
type CarriedValues = Pick<ResumePoint, 'triggers' | 'deferred' | 'bufferedEvents'>;

/** Returns the redaction of the data that a fork takes over: channels, and the items and events of its resume point. */
export function inheritedByFork(
  { channels, items = [], events }: Redaction,
  { triggers, deferred, bufferedEvents }: CarriedValues,
): InheritedRedaction {
  const carried = new Set([...triggers, ...deferred].flatMap(({ node, element }) => (element ? [node] : [])));
  return {
    channels,
    items: items.filter((node) => carried.has(node)),
    ...(events && bufferedEvents.length > 0 && { events }),
  };
}

/**
 * Returns the redaction of the data that a replay takes over: the beginning of its run, and the answers that its nodes
 * have received.
 * @param begun the state in which a fork began; `null` if the run is no fork
 */
export function inheritedByReplay(redaction: Redaction, begun: CarriedValues | null): InheritedRedaction {
  const { channels, nodes, graphs } = redaction;
  return { channels, ...(begun && inheritedByFork(redaction, begun)), nodes, graphs };
}

/** The text that replaces a redacted value. */
export const REDACTED = '[redacted]';

/** The redacted parts of a filled field: the whole field, with its visible words, or some members or items. */
export type FieldMask =
  | string
  | { readonly in: 'object' | 'list'; readonly parts: Readonly<Record<string, FieldMask>> };

/** Redacts the masked parts of a value. A value whose form differs from the mask is redacted as a whole. */
export function hideMasked(value: Json, mask: FieldMask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, () => REDACTED);
}

/** Like `hideMasked`, but keeps the definition's own words around the redacted values of a text. */
export function hideValuesInText(value: Json, mask: FieldMask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, (words) => words);
}

function applyMask(value: Json, mask: FieldMask, replaceText: (words: string) => string): Json {
  if (typeof mask === 'string') return replaceText(mask);
  const { parts } = mask;
  const hide = (part: Json, key: string): Json => {
    const inner = own(parts, key);
    return inner === undefined ? part : applyMask(part, inner, replaceText);
  };
  if (mask.in === 'list') return isJsonList(value) ? value.map((item, index) => hide(item, String(index))) : REDACTED;
  return isJsonObject(value) ? mapValues(value, hide) : REDACTED;
}

/** Restores the real parts where a person has sent back `[redacted]`. */
export function restoreMasked(given: Json, real: Json, mask: FieldMask): Json {
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
