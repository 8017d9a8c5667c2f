import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import type { RunAccount } from '../../support/readers/run-accounts.ts';
import type { Action } from '../actions.ts';
import type { PlanResult } from '../customer.ts';
import { SAMPLE_EVENTS, anAction, canceledFacts, numbered, soundFacts, timeAt, waitingFacts } from './fact-builders.ts';
import { RULES } from './rules.ts';
import type { RunFacts } from './run-facts.ts';

/* Each chaos rule fails for its own violation, and for no other. */

const [SOUND, CANCELED, WAITING] = [soundFacts(), canceledFacts(), waitingFacts()];
const LAST = SAMPLE_EVENTS.length - 1;

/** Builds facts in which API, rows and workflow have these events. */
const telling = (events: readonly JsonObject[], facts = SOUND): RunFacts => ({
  ...facts,
  events,
  rows: { ...facts.rows, events },
  workflow: { ...facts.workflow, events },
});
const happening = (happened: readonly JsonObject[], facts = SOUND): RunFacts => telling(numbered(happened), facts);
const also = (...more: readonly JsonObject[]): RunFacts => happening(SAMPLE_EVENTS.toSpliced(LAST, 0, ...more));
/** Builds facts without events of a type. */
const lacking = (type: string): RunFacts => happening(SAMPLE_EVENTS.filter((event) => event['type'] !== type));
const numbering = (seqs: readonly number[]): RunFacts =>
  telling(numbered(SAMPLE_EVENTS).map((event, at) => ({ ...event, seq: seqs[at] ?? at + 1 })));

const withStory = (over: Partial<PlanResult>, facts = SOUND): RunFacts => ({
  ...facts,
  story: { ...facts.story, ...over },
});
const withAction = (action: Action, facts = SOUND): RunFacts =>
  withStory({ actions: [...facts.story.actions, action] }, facts);
const withDone = (...done: readonly (readonly [job: string, times: number])[]): RunFacts => ({
  ...SOUND,
  done: new Map([...SOUND.done, ...done]),
});
const withRows = (over: Partial<RunAccount>): RunFacts => ({ ...SOUND, rows: { ...SOUND.rows, ...over } });
const withWorkflow = (over: Partial<RunAccount>): RunFacts => ({ ...SOUND, workflow: { ...SOUND.workflow, ...over } });
/** Builds facts in which one event of the rows differs. */
const withEvent = (index: number, over: JsonObject): RunFacts =>
  withRows({ events: numbered(SAMPLE_EVENTS).map((event, at) => (at === index ? { ...event, ...over } : event)) });
const withApproval = (over: JsonObject): RunFacts =>
  withRows({ approvals: [{ id: 'a1', status: 'approved', requestedAt: timeAt(2), decidedAt: timeAt(3), ...over }] });
const withView = (over: JsonObject): RunFacts => withRows({ view: { ...SOUND.rows.view, ...over } });

const brokenBy = (facts: RunFacts): readonly string[] =>
  Object.entries(RULES).flatMap(([rule, check]) => (check(facts).length > 0 ? [rule] : []));

test.each<readonly [what: string, facts: RunFacts]>([
  ['has completed', SOUND],
  ['was canceled', CANCELED],
  ['waits', WAITING],
  ['has failed as planned', failed()],
  [
    'continues as new, with an execution that reports only its own events',
    withWorkflow({ events: SOUND.events.slice(-3) }),
  ],
  ['has earlier event times in its rows than in its workflow', withEvent(3, { at: timeAt(3) })],
  ['has an earlier end in its rows than in its workflow', withView({ endedAt: timeAt(8) })],
  ['has rows with their keys in another order', withRows({ view: reversed(SOUND.rows.view) })],
])('a run that %s violates no rule of the chaos check', (_, facts) => {
  expect(brokenBy(facts)).toEqual([]);
});

/** Violations by rule. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, RunFacts>>>> = {
  'people could execute their plans': {
    'a call that was never answered': withStory({ failure: 'The run has not come to an end' }),
  },
  'ends, or waits, as expected': {
    'another status': { ...SOUND, run: { status: 'failed', output: null } },
    'no status': { ...SOUND, run: {} },
    'another output': { ...SOUND, run: { status: 'completed', output: { receipts: ['job-1/pay'] } } },
    'no output': { ...SOUND, run: { status: 'completed' } },
    'an end of what should wait': { ...WAITING, run: { status: 'completed', output: null } },
  },
  'executes each job once': {
    'a job that was never done': { ...SOUND, done: new Map([['job-1/pay', 1]]) },
    'a job that was done twice': withDone(['job-1/pay', 2]),
    'a job without a request': withDone(['job-1/other', 1]),
    'no job at all': { ...SOUND, done: new Map() },
  },
  'numbers its events without gaps': {
    'a gap': numbering([1, 2, 3, 4, 6, 7, 8, 9, 10]),
    'a number that was given twice': numbering([1, 2, 3, 3, 4, 5, 6, 7, 8]),
    'two numbers in the wrong order': numbering([1, 2, 4, 3]),
    'a beginning at 0': numbering([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    'a first number that is missing': numbering([2, 3, 4, 5, 6, 7, 8, 9, 10]),
  },
  'starts once, and ends at most once': {
    'two beginnings': also({ type: 'run.started' }),
    'no beginning': lacking('run.started'),
    'two ends': happening([...SAMPLE_EVENTS, { type: 'run.completed' }]),
    'two ends of different kinds': also({ type: 'run.failed' }),
    'no end': lacking('run.completed'),
    'another end': happening([...SAMPLE_EVENTS.slice(0, LAST), { type: 'run.failed' }]),
    'an event after the end': happening([...SAMPLE_EVENTS, { type: 'step.started' }]),
    'an end of what waits': happening([{ type: 'run.started' }, { type: 'run.completed' }], WAITING),
    'no event of what waits': happening([], WAITING),
  },
  'applies each decision once': {
    'an approval that was applied twice': also({ type: 'approval.decided', decision: 'approve' }),
    'an approval that was lost': withAction(anAction('approve')),
    'a rejection that was applied twice': also({ type: 'approval.decided', decision: 'reject' }),
    'a rejection that was lost': withAction(anAction('reject')),
    'a rejection that was applied though it was refused': withStory({
      actions: SOUND.story.actions.map((action) =>
        action.kind === 'reject' ? { ...action, isAccepted: false } : action,
      ),
    }),
    'a rejection that was applied as an approval': happening(
      SAMPLE_EVENTS.map((event) => ('decision' in event ? { ...event, decision: 'approve' } : event)),
    ),
    'a signal that was applied twice': also({ type: 'signal.received', name: 'go' }),
    'a signal that was lost': lacking('signal.received'),
    'a cancellation that was lost': withAction(anAction('cancel')),
    'a cancellation without a request': withStory({ actions: [] }, CANCELED),
    'a retry that was applied twice': also({ type: 'run.retried' }),
    'a retry that was lost': lacking('run.retried'),
    'a skipped call that was applied twice': also({ type: 'tool.skipped' }),
    'a skipped node that was applied twice': also({ type: 'node.skipped' }),
    'a skipped call that was lost': lacking('tool.skipped'),
    'a skipped node that was lost': lacking('node.skipped'),
  },
  'has the same state in rows and workflow': {
    'an event that was changed': withEvent(4, { payload: 2 }),
    'an event that is missing from the rows': withRows({ events: SOUND.events.slice(0, LAST) }),
    'an event that is missing from the middle of the rows': withRows({ events: SOUND.events.toSpliced(3, 1) }),
    'an event that is missing from the workflow': withWorkflow({ events: SOUND.events.slice(0, LAST) }),
    'a workflow that reports nothing': withWorkflow({ events: [] }),
    'an approval that was changed': withApproval({ status: 'rejected' }),
    'an approval that is missing': withRows({ approvals: [] }),
    'an approval that is there twice': withRows({ approvals: [...SOUND.rows.approvals, ...SOUND.rows.approvals] }),
    'other values': withRows({ values: { receipts: [] } }),
    'values that are missing': withRows({ values: undefined }),
    'other next nodes': withRows({ next: ['pay'] }),
    'an older checkpoint': withRows({ checkpoint: { id: 'c8', step: 3 } }),
    'another status': withView({ status: 'running' }),
    'an end that is missing': withView({ endedAt: null }),
  },
  'has no later times in rows than in workflow': {
    'a later event': withEvent(3, { at: timeAt(5) }),
    'a later decision': withApproval({ decidedAt: timeAt(4) }),
    'a later end': withView({ endedAt: timeAt(10) }),
  },
};

test('each rule of the chaos check about runs is violated by an example of this test', () => {
  expect(Object.keys(VIOLATIONS).toSorted()).toEqual(Object.keys(RULES).toSorted());
});

const all = Object.entries(VIOLATIONS).flatMap(([rule, wrongs]) =>
  Object.entries(wrongs).map(([what, facts]) => [what, rule, facts] as const),
);

test('a failed call may have a longer duration in the events of its workflow, which received the failure later', () => {
  const lasting = (durationMs: number) =>
    SOUND.events.with(3, { seq: 4, at: timeAt(4), type: 'tool.called', durationMs });
  const told = (durationMs: number): RunFacts => ({
    ...SOUND,
    events: lasting(0),
    rows: { ...SOUND.rows, events: lasting(0) },
    workflow: { ...SOUND.workflow, events: lasting(durationMs) },
  });
  expect(brokenBy(told(30_000))).toEqual(brokenBy(told(0)));
});

test.each(all)('the chaos check reports a run with %s by the rule "%s" only', (_, rule, facts) => {
  expect(brokenBy(facts)).toEqual([rule]);
});

test('a violation that the chaos check reports contains the actual and the expected value', () => {
  const says = (rule: string, facts: RunFacts): readonly string[] | undefined => RULES[rule]?.(facts);
  expect(says('executes each job once', withDone(['job-1/pay', 2]))).toEqual(['job-1/pay was done 2 times']);
  expect(says('applies each decision once', withAction(anAction('cancel')))).toEqual([
    'how often cancel was applied: 0 instead of 1',
  ]);
  expect(says('has no later times in rows than in workflow', withEvent(3, { at: timeAt(5) }))).toEqual([
    `events of the rows: ${timeAt(5)} instead of ${timeAt(4)}`,
  ]);
});

function failed(): RunFacts {
  const { plan } = SOUND.story;
  const facts = happening([...SAMPLE_EVENTS.slice(0, LAST), { type: 'run.failed' }]);
  const expected = { ...plan.expected, status: 'failed' as const };
  return { ...withStory({ plan: { ...plan, expected } }, facts), run: { status: 'failed', output: null } };
}

function reversed(view: RunAccount['view']): RunAccount['view'] {
  return Object.fromEntries(Object.entries(view).toReversed());
}
