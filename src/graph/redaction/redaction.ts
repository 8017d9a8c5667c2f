import type { Mask } from './mask.ts';

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
