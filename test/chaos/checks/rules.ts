import { isDeepStrictEqual } from 'node:util';
import { at, textAt } from '../../support/readers/json-at.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { ActionKind } from '../actions.ts';
import type { RunFacts } from './run-facts.ts';

/** Returns the violations of a run, each as a sentence. */
type Rule = (facts: RunFacts) => readonly string[];

/** Invariants of every run, whatever was killed. */
export const RULES: Readonly<Record<string, Rule>> = {
  'people could execute their plans': ({ story }) => (story.failure === null ? [] : [story.failure]),

  'ends, or waits, as expected': ({ run, story: { plan } }) => {
    const { status, output } = plan.expected;
    return [
      ...differences('the status', at(run, '/status'), status),
      ...(status === 'completed' ? differences('the output', at(run, '/output'), output) : []),
    ];
  },

  'executes each job once': ({ done, story: { plan } }) => {
    const { jobs } = plan.expected;
    return [
      ...jobs.filter((job) => !done.has(job)).map((job) => `${job} was never done`),
      ...[...done].flatMap(([job, times]) => [
        ...(jobs.includes(job) ? [] : [`${job} was done, and should not have been`]),
        ...(times > 1 ? [`${job} was done ${times} times`] : []),
      ]),
    ];
  },

  'numbers its events without gaps': ({ events }) => {
    const seqs = events.map((event) => at(event, '/seq'));
    return differences(
      'seq',
      seqs,
      seqs.map((_, index) => index + 1),
    );
  },

  'starts once, and ends at most once': ({ events, story: { plan } }) => {
    const isWaiting = plan.expected.status === 'waiting';
    const last = isWaiting ? [] : [`run.${plan.expected.status}`];
    const found = events.map(typeOf).filter((type) => BOUNDARY_EVENTS.has(type));
    return [
      ...differences('its beginnings and ends', found, ['run.started', ...last]),
      ...(isWaiting ? [] : differences('the last event', [events.at(-1) ?? null].map(typeOf), last)),
    ];
  },

  'applies each decision once': ({ events, story }) =>
    Object.entries(TRACES).flatMap(([kind, { isTrace }]) => {
      const accepted = story.actions.filter((action) => action.kind === kind && action.isAccepted).length;
      const applied = events.filter(isTrace).length;
      return differences(`how often ${kind} was applied`, applied, accepted);
    }),

  'has the same state in rows and workflow': (facts) =>
    comparedParts(facts).flatMap(([name, ofRows, ofWorkflow]) =>
      TIMED.has(name)
        ? differences(`${name} of the rows`, timeless(ofRows), timeless(ofWorkflow))
        : differences(`${name} of the rows`, ofRows, ofWorkflow),
    ),

  // A query that has waited for a worker receives events that arrived meanwhile, before the task with their time:
  // Temporal's SDK then applies them at the time of the previous task. A later replay applies them at their own time.
  'has no later times in rows than in workflow': (facts) =>
    comparedParts(facts).flatMap(([name, ofRows, ofWorkflow]) => {
      // If the contents differ, times can't be matched.
      if (!isDeepStrictEqual(timeless(ofRows), timeless(ofWorkflow))) return [];
      const known = timesIn(ofWorkflow);
      return timesIn(ofRows).flatMap((time, at) =>
        time > (known[at] ?? '') ? [`${name} of the rows: ${time} instead of ${known[at]}`] : [],
      );
    }),
};

/** The parts that both rows and workflow report. */
function comparedParts({
  rows,
  workflow,
}: RunFacts): readonly (readonly [name: string, ofRows: unknown, ofWorkflow: unknown])[] {
  const { events } = workflow;
  return [
    ['events', rows.events.slice(-events.length), events],
    ...COMPARED_PARTS.map((name) => [name, rows[name], workflow[name]] as const),
  ];
}

const COMPARED_PARTS = ['approvals', 'values', 'next', 'checkpoint', 'view'] as const;
/** The parts with timestamps of the engine. */
const TIMED: ReadonlySet<string> = new Set(['events', 'approvals', 'view']);

const TIME = /(?<=")\d{4}-\d\d-\d\dT[\d:.]+Z(?=")/g;
/** The duration of a failing call ends when the workflow receives the failure. */
const DURATION = /(?<="durationMs":)\d+/g;

function timeless(told: unknown): unknown {
  return JSON.parse((JSON.stringify(told) ?? 'null').replaceAll(TIME, 'a time').replaceAll(DURATION, '0'));
}

/** The timestamps in a value, with object keys in sorted order, so that they are comparable. */
function timesIn(told: unknown): readonly string[] {
  if (typeof told === 'string') return `"${told}"`.match(TIME) ?? [];
  if (typeof told !== 'object' || told === null) return [];
  const entries = Object.entries(told).sort(([one], [other]) => (one < other ? -1 : 1));
  return (Array.isArray(told) ? told : entries.map(([, value]) => value)).flatMap(timesIn);
}

const BOUNDARY_EVENTS: ReadonlySet<string> = new Set(['run.started', 'run.completed', 'run.failed', 'run.canceled']);

/** The trace of each action in the history. */
const TRACES: Readonly<Record<ActionKind, { readonly isTrace: (event: Json) => boolean }>> = {
  approve: { isTrace: isDecision('approve') },
  reject: { isTrace: isDecision('reject') },
  signal: { isTrace: (event) => typeOf(event) === 'signal.received' },
  cancel: { isTrace: (event) => typeOf(event) === 'run.canceled' },
  retry: { isTrace: (event) => typeOf(event) === 'run.retried' },
  skip: { isTrace: (event) => ['node.skipped', 'tool.skipped'].includes(typeOf(event)) },
};

function isDecision(decision: string): (event: Json) => boolean {
  return (event) => typeOf(event) === 'approval.decided' && at(event, '/decision') === decision;
}

function typeOf(event: Json): string {
  return event === null ? '' : textAt(event, '/type');
}

function differences(what: string, found: unknown, expected: unknown): readonly string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  if (Array.isArray(found) && Array.isArray(expected)) return differingItems(what, found, expected);
  return [`${what}: ${shorten(found)} instead of ${shorten(expected)}`];
}

function differingItems(what: string, found: readonly unknown[], expected: readonly unknown[]): readonly string[] {
  const length = Math.max(found.length, expected.length);
  return Array.from({ length }, (_, at) => at)
    .filter((at) => !isDeepStrictEqual(found[at], expected[at]))
    .slice(0, MAX_ITEMS)
    .map((at) => `${what}, ${at + 1}: ${shorten(found[at])} instead of ${shorten(expected[at])}`);
}

/** The first violations show where the problem began. */
const MAX_ITEMS = 5;

const MAX_SHOWN = 600;

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
