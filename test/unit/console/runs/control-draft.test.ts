import { describe, expect, test } from 'vitest';
import {
  EMPTY_DRAFT,
  readBody,
  withEndedTargets,
  readFork,
} from '../../../../console/src/pages/runs/actions/control-draft.ts';
import { availableControls, effectsOf, targetsOf } from '../../../../console/src/pages/runs/actions/controls.ts';
import type { Explanation, Run } from '../../../../src/client/index.ts';

const WAITING: Pick<Run, 'waitingFor' | 'error' | 'status' | 'endedAt'> = {
  status: 'waiting',
  endedAt: null,
  error: null,
  waitingFor: [
    {
      kind: 'intervention',
      id: 'pay:1:1',
      node: 'pay',
      since: '2026-11-24T09:41:12.804Z',
      tool: 'issue_refund',
      args: { order: 'A-1002' },
      idempotencyKey: 'k',
      error: { code: 'UNKNOWN_OUTCOME', message: 'the worker is gone' },
      choices: [],
    },
  ],
};
const FAILED: typeof WAITING = {
  status: 'failed',
  endedAt: '2026-11-24T09:42:00.000Z',
  waitingFor: [],
  error: { code: 'TOOL_FAILED', message: 'no', node: 'pay' },
};

describe('the controls of a run', () => {
  const anAction = (action: Explanation['actions'][number]['action'], allowed = true) => ({
    action,
    allowed,
    effect: `What ${action} does`,
    who: 'somebody',
    command: { curl: '', holdfast: '', temporal: null },
  });

  test('the console shows the controls of a run that the API allows the person, in display order, and edits while nothing executes', () => {
    const actions = [anAction('approve'), anAction('cancel'), anAction('retry'), anAction('pause', false)];
    expect(availableControls({ status: 'running', actions })).toEqual(['retry', 'cancel']);
    expect(availableControls({ status: 'waiting', actions })).toEqual(['retry', 'edit', 'cancel']);
  });

  test('the console describes the controls of a run as the API does', () => {
    const actions = [anAction('retry'), anAction('retry'), anAction('cancel')];
    expect(effectsOf({ actions }, 'retry')).toEqual(['What retry does']);
    expect(effectsOf({ actions }, 'edit')).toEqual([]);
  });
});

describe('the targets of a control', () => {
  test('the targets of a run control in the console are the waiting interventions, by their ids', () => {
    expect(targetsOf(WAITING)).toMatchObject([{ label: 'issue_refund in pay', named: { id: 'pay:1:1' } }]);
  });

  test('the targets of a run control in the console are the node that has failed the run, and a target without a node', () => {
    expect(targetsOf(FAILED).map(({ named }) => named)).toEqual([{ node: 'pay' }, {}]);
    expect(targetsOf({ ...FAILED, status: 'completed', error: null })).toEqual([]);
  });
});

describe('the targets of a dialog', () => {
  const opened = targetsOf(WAITING);
  const draft = { ...EMPTY_DRAFT, target: opened[0]?.key ?? '', output: '1' };

  test('a dialog of the console keeps the targets from its opening when the run waits for something else', () => {
    const [waiting] = WAITING.waitingFor;
    const now = targetsOf({ ...WAITING, waitingFor: waiting ? [{ ...waiting, id: 'ship:2:1', node: 'ship' }] : [] });
    const targets = withEndedTargets(opened, now);
    expect(targets.map(({ named, isGone }) => ({ ...named, isGone }))).toEqual([
      { id: 'pay:1:1', isGone: true },
      { id: 'ship:2:1', isGone: false },
    ]);
    expect(readBody('skip', draft, targets)).toEqual({ body: { id: 'pay:1:1', output: 1 } });
    expect(withEndedTargets(opened, opened).map(({ isGone }) => isGone)).toEqual([false]);
  });

  test('a console dialog loses its targets when the same node has failed again', () => {
    const [waiting] = WAITING.waitingFor;
    const since = '2026-11-24T09:50:00.000Z';
    const anew = targetsOf({ ...WAITING, waitingFor: waiting ? [{ ...waiting, since }] : [] });
    const again = targetsOf({ ...FAILED, endedAt: since });
    expect(withEndedTargets(opened, anew).map(({ isGone }) => isGone)).toEqual([true, false]);
    expect(withEndedTargets(targetsOf(FAILED), again).map(({ isGone }) => isGone)).toEqual([true, true, false, false]);
  });
});

describe('the body of a control', () => {
  const targets = targetsOf(FAILED);
  const target = targets[0]?.key ?? '';

  test('the request of a run control in the console contains only the values of its fields', () => {
    const draft = { ...EMPTY_DRAFT, target, output: '{"orders": []}', reason: 'not asked for' };
    expect(readBody('skip', draft, targets)).toEqual({ body: { node: 'pay', output: { orders: [] } } });
    expect(readBody('pause', EMPTY_DRAFT, [])).toEqual({ body: {} });
    expect(readBody('edit', { ...EMPTY_DRAFT, values: '{"a": 1}', node: 'look' }, [])).toEqual({
      body: { values: { a: 1 }, asNode: 'look' },
    });
  });

  test('the request of a run control in the console may have the value null if any output is allowed', () => {
    const [, all] = targets;
    expect(readBody('skip', { ...EMPTY_DRAFT, target: all?.key ?? '', output: 'null' }, targets)).toEqual({
      body: { output: null },
    });
  });

  test.each([
    ['skip', { target }, 'output'],
    ['skip', { output: '1' }, 'target'],
    ['retry', { target: 'gone' }, 'target'],
    ['fail', {}, 'target'],
    ['replan', {}, 'node'],
    ['edit', { values: '[1]' }, 'values'],
    ['resume', { values: '{' }, 'values'],
  ] as const)('the console refuses the request of the control %s with its field named', (control, fields, field) => {
    const read = readBody(control, { ...EMPTY_DRAFT, ...fields }, targets);
    expect('problems' in read && Object.keys(read.problems)).toEqual([field]);
  });
});

describe('the body of a fork', () => {
  const EMPTY = { checkpoint: 'c1', values: '', asNode: '', graph: '' };

  test('the request of a fork in the console omits empty fields', () => {
    expect(readFork({ ...EMPTY, values: '{}' })).toEqual({ fork: { checkpoint: 'c1' } });
    expect(readFork({ checkpoint: 'c1', values: '{"a": 1}', asNode: 'pay', graph: ' shop@2 ' })).toEqual({
      fork: { checkpoint: 'c1', values: { a: 1 }, asNode: 'pay', graph: 'shop@2' },
    });
  });

  test.each(['[]', '7', '{'])('the request of a fork in the console refuses %s as values', (values) => {
    expect(readFork({ ...EMPTY, values })).toHaveProperty('problem');
  });
});
