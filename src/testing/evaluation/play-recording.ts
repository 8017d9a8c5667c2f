import { InvalidGraphError } from '../../builder/invalid-graph-error.ts';
import { hasErrors, isDefinition, replaceReferences } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';
import type { UnplayedAction } from '../../graph/replay/index.ts';
import { validateGraph } from '../../graph/validate/index.ts';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import type { AnyGraph } from '../run-graph.ts';
import { firstDifference } from '../../simulation/difference.ts';
import type { ValueDifference } from '../../simulation/difference.ts';
import { redactionOfTest, outcomeOfReplay, nameEvent, readRecordedTest, replayTest } from './recorded-test.ts';
import type { OutcomeSummary, RecordedTest } from './recorded-test.ts';

/** The outcome of a recorded run that was played again. */
export interface PlayedRecording extends OutcomeSummary {
  /** The first event that is not as it was recorded; `null`: the run goes exactly as it went. */
  readonly divergence: RecordingDivergence | null;
  /** Differences of status, path, output and error; often empty although events differ. */
  readonly changed: readonly (ValueDifference & { readonly what: keyof OutcomeSummary })[];
  /** What people did in the recorded run, and nothing in this one has waited for. */
  readonly unplayed: readonly UnplayedAction[];
}

export interface RecordingDivergence extends ValueDifference {
  /** The number of the event. */
  readonly seq: number;
  /** The event and its node, such as `event 12, tool.requested at pay`. */
  readonly where: string;
}

interface PlayOptions {
  /** A graph to play instead of the recorded one. */
  readonly graph?: AnyGraph;
}

/**
 * Plays a recorded run again with its recorded answers, decisions and times: offline, in milliseconds. Under another
 * graph, people decide by node and in their order from the first difference on.
 * @param recorded the JSON of a file of `holdfast promote`
 * @throws TypeError if it is no such file; InvalidGraphError if the graph has errors, or uses what the run did not
 */
export function playRecording(recorded: unknown, { graph }: PlayOptions = {}): PlayedRecording {
  const test = readRecordedTest(recorded);
  const definition = graph && pinGraphs('toJSON' in graph ? graph.toJSON() : graph, test);
  if (definition) requireValidDefinition(definition, test);
  const replayed = replayTest(test, definition);
  const outcome = outcomeOfReplay(replayed, redactionOfTest(test));
  return {
    ...outcome,
    divergence: toRecordingDivergence(replayed.divergence),
    changed: changedFields(test.expect, outcome),
    unplayed: replayed.unplayed,
  };
}

/** Replaces names of graphs without a version by the versions of the recorded run. */
function pinGraphs(definition: GraphDefinition, { recording }: RecordedTest): GraphDefinition {
  const pinned = Object.keys(recording.catalog.graphs ?? {});
  const replaced = replaceReferences(
    toJsonObject(definition),
    (name) => pinned.find((reference) => reference.startsWith(`${name}@`)) ?? name,
  );
  return isDefinition(replaced) ? replaced : definition;
}

function requireValidDefinition(definition: GraphDefinition, { recording }: RecordedTest): void {
  const issues = validateGraph(toJson(definition), recording.catalog);
  if (hasErrors(issues)) throw new InvalidGraphError(definition.name, issues);
}

function toRecordingDivergence(found: ReturnType<typeof replayTest>['divergence']): RecordingDivergence | null {
  if (!found) return null;
  const { seq, expected, actual } = found;
  const [was, is] = [nameEvent(expected), nameEvent(actual)];
  const where = expected ? was : is;
  if (!expected || !actual || was !== is) return { seq, where, path: '', expected: was, actual: is };
  return { seq, where, ...differenceOfEvents(expected, actual) };
}

/** A difference in time alone is one, but it follows from all others. */
function differenceOfEvents({ at: was, ...expected }: RunEvent, { at: is, ...actual }: RunEvent): ValueDifference {
  return firstDifference(toJson(expected), toJson(actual)) ?? { path: '/at', expected: was, actual: is };
}

const COMPARED_FIELDS = ['status', 'path', 'output', 'error'] as const;

function changedFields(expected: OutcomeSummary, actual: OutcomeSummary): PlayedRecording['changed'] {
  return COMPARED_FIELDS.flatMap((what) => {
    const difference = firstDifference(toJson(expected[what]), toJson(actual[what]));
    return difference ? [{ what, ...difference }] : [];
  });
}

/** @returns one line, such as `the recorded decision "approve" of ada at ask was not played: no approval waits there` */
export function describeUnplayed({ action, by, node, why }: UnplayedAction): string {
  const what =
    by === null ? 'the recorded timeout' : `the recorded ${node === null ? 'signal' : 'decision'} "${action}" of ${by}`;
  return `${what}${node === null ? '' : ` at ${node}`} was not played: ${why}`;
}
