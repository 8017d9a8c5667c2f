import { expect, test } from 'vitest';
import type { Json } from '../../src/graph/values/json.ts';
import type { Case } from './cases.ts';
import { RULES, violationsOf } from './judge.ts';
import type { Facts } from './judge.ts';
import type { Entry } from './shop/branch.ts';
import { UNCHANGED } from './shop/stock.ts';
import type { Changes } from './shop/stock.ts';

const cancel = { name: 'cancel_pending_order', args: { order_id: '#1', reason: 'no longer needed' } };
const entry: Entry = { ...cancel, key: 'r1:serve:1:0:0', answer: { isAccepted: true, body: {} } };
const undo: Entry = { ...entry, name: 'undo', args: { receipt: 0 } };

function aCase(log: readonly Entry[], told: readonly string[] = ['{"receipt":0}'], changed = UNCHANGED): Case {
  return {
    id: '1',
    task: { id: '1', reason: '', known: '', actions: [cancel], accepted: [true], changed: UNCHANGED },
    turns: 'one call a turn',
    branch: { log, differences: () => changed, execute: () => entry.answer },
    open: new Set(),
    meet: async () => await Promise.resolve('as usual'),
    runIds: ['r1'],
    exchanges: 0,
    told,
  };
}

const approval = { tool: cancel.name, args: cancel.args, decisions: [{ by: 'ann', decision: 'approve' }] };
const EVENTS: readonly Json[] = [
  { seq: 1, type: 'run.started' },
  { seq: 2, type: 'approval.decided' },
];

const SOUND: Facts = {
  one: aCase([entry]),
  statuses: [['completed']],
  outcome: {
    runs: [{ statuses: ['completed'], decided: [cancel] }],
    executed: [cancel],
    undone: 0,
    changed: UNCHANGED,
    told: ['accepted'],
  },
  approvals: [[approval]],
  events: [EVENTS],
};

const CHANGED: Changes = {
  orders: {},
  users: {
    ann: {
      user_id: 'ann',
      name: { first_name: 'Ann', last_name: 'Lee' },
      address: { address1: '', address2: '', city: '', state: '', country: '', zip: '' },
      email: '',
      payment_methods: {},
      orders: [],
    },
  },
};

test('a correct case of the retail benchmark violates no rule of the judge', () => {
  expect(violationsOf(SOUND)).toEqual([]);
});

const WRONGS: Readonly<Record<string, Facts>> = {
  'each run ends as expected': { ...SOUND, statuses: [['failed']] },
  'the shop has the expected records': { ...SOUND, one: aCase([entry], undefined, CHANGED) },
  'each write takes effect once, in order': { ...SOUND, one: aCase([entry, entry]) },
  'each write of a canceled run is undone once, the latest first': { ...SOUND, one: aCase([entry, undo]) },
  'each decided write has one decision': {
    ...SOUND,
    approvals: [[{ ...approval, decisions: [...approval.decisions, ...approval.decisions] }]],
  },
  'each decision is about an expected write': { ...SOUND, approvals: [[{ ...approval, args: {} }]] },
  'each decision is one event': { ...SOUND, events: [[...EVENTS, { seq: 3, type: 'approval.decided' }]] },
  'the model is told of each call': { ...SOUND, one: aCase([entry], ['Execution failed: no']) },
  'events are numbered without gaps': { ...SOUND, events: [[...EVENTS, { seq: 4, type: 'run.completed' }]] },
};

test.each(Object.keys(RULES))('the rule "%s" of the retail judge is violated by its own example alone', (rule) => {
  const violations = violationsOf(WRONGS[rule] ?? SOUND);
  expect(violations.map((text) => text.slice(0, text.indexOf(': ')))).toEqual([rule]);
});
