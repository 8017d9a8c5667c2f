import { isDeepStrictEqual } from 'node:util';
import { at, textAt } from '../../support/json-at.ts';
import type { Json } from '../../../src/graph/json.ts';
import type { ActionKind } from '../actions.ts';
import type { RunFacts } from './run-facts.ts';

/** Says what is wrong with a run, each thing in a sentence. */
type Rule = (facts: RunFacts) => readonly string[];

/** What holds of every run, whatever was killed. */
export const RULES: Readonly<Record<string, Rule>> = {
  'people could do what they wanted to': ({ story }) => (story.trouble === null ? [] : [story.trouble]),

  'ended, or waits, as it should': ({ run, story: { plan } }) => {
    const { status, output } = plan.expected;
    return [
      ...differences('the status', at(run, '/status'), status),
      ...(status === 'completed' ? differences('the output', at(run, '/output'), output) : []),
    ];
  },

  'did each job once': ({ done, story: { plan } }) => {
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

  'began once, and ended once at most': ({ events, story: { plan } }) => {
    const isWaiting = plan.expected.status === 'waiting';
    const last = isWaiting ? [] : [`run.${plan.expected.status}`];
    const found = events.map(typeOf).filter((type) => MARKS.has(type));
    return [
      ...differences('its beginnings and ends', found, ['run.started', ...last]),
      ...(isWaiting ? [] : differences('the last event', [events.at(-1) ?? null].map(typeOf), last)),
    ];
  },

  'applied each decision once': ({ events, story }) =>
    Object.entries(TRACES).flatMap(([kind, { isTrace }]) => {
      const accepted = story.actions.filter((action) => action.kind === kind && action.isAccepted).length;
      const applied = events.filter(isTrace).length;
      return differences(`how often ${kind} was applied`, applied, accepted);
    }),

  'says the same in its rows and its workflow': ({ rows, workflow }) => {
    const { events } = workflow;
    return [
      ...differences('the latest events', rows.events.slice(-events.length), events),
      ...TOLD.flatMap((name) => differences(`${name} of the rows`, rows[name], workflow[name])),
    ];
  },
};

const TOLD = ['approvals', 'values', 'next', 'checkpoint', 'view'] as const;

const MARKS: ReadonlySet<string> = new Set(['run.started', 'run.completed', 'run.failed', 'run.canceled']);

/** How an action shows in the history. */
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
  return [`${what}: ${shorten(found)} instead of ${shorten(expected)}`];
}

const MAX_SHOWN = 600;

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
