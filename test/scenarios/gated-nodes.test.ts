import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refuseForkOf, refuseStartAt } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Principal } from '../../src/graph/run/principal.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, startRun } from '../support/builders/runs.ts';
import { forkStartAt } from '../support/builders/stored.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };

type Ask = Partial<NodeDefinition & { readonly type: 'approval' }>;
type Over = Partial<GraphDefinition>;

const asks = (over: Ask = {}) => ({ type: 'approval', title: 'Pay?', write: 'out', ...over }) as const;

/** A graph in which `ask` gates `check`, `pay` and `no`. */
const payment = (over: Over = {}, ask: Ask = {}): Over => ({
  channels: { amount: { default: 40 }, out: {}, log: { reducer: 'append' } },
  nodes: { prep: adds('prep'), ask: asks(ask), check: adds('check'), pay: adds('paid'), no: adds('no') },
  edges: [
    { from: '__start__', to: 'prep' },
    { from: 'prep', to: 'ask' },
    { from: 'ask', route: 'state.out.decision', paths: { approved: 'check' }, default: 'no' },
    { from: 'check', to: 'pay' },
  ],
  ...over,
});

const waiting = (ask: Ask = {}): MemoryRun => startRun(payment({}, ask));
const YES = { out: { decision: 'approved' } };

const stopped = (at: Pick<GraphDefinition, 'interruptBefore' | 'interruptAfter'>): MemoryRun => startRun(payment(at));

const decided = (decision: string, ask: Ask = {}, over: Over = {}): MemoryRun => {
  const run = startRun(payment(over, ask));
  run.signal(decision, { by: ADA });
  return run;
};

const expired = (): MemoryRun => {
  const run = waiting({ timeout: '1h', onTimeout: 'fail' });
  run.passTime(3_600_000);
  return run;
};

const canceled = (): MemoryRun => {
  const run = waiting();
  run.signal('cancel', { by: UMA });
  return run;
};

/** An operation that leads past `ask`. @returns the reason for a refusal; `undefined` if the operation is allowed */
type Operation = (by: Principal) => string | undefined;

const signal =
  (run: () => MemoryRun, name: string, payload: JsonObject): Operation =>
  (by) => {
    const one = run();
    const signed = { ...payload, by: { sub: by.sub, roles: [...by.roles] } };
    if (['failed', 'completed', 'canceled'].includes(one.run.status)) one.reopen(name, signed);
    else one.signal(name, signed);
    const ignored = one.events.findLast(({ type }) => type === 'signal.ignored');
    const refused = one.run.signalResults.length > 0 ? null : ignored;
    return refused?.type === 'signal.ignored' ? refused.reason : undefined;
  };

const fork =
  (run: () => MemoryRun, before: string, options: { values?: JsonObject; asNode?: string } = {}): Operation =>
  (by) => {
    const one = run();
    const at = one.checkpoints.find(({ next }) => next.includes(before))?.id ?? '';
    const result = one.fork(at, { ...options, by });
    return 'code' in result ? result.code.toLowerCase() : undefined;
  };

const otherGraph =
  (run: () => MemoryRun, before: string, options: { values?: JsonObject; asNode?: string } = {}): Operation =>
  (by) => {
    const one = run();
    const graph = compileGraph(aDefinition(payment()), aCatalog());
    const at = one.checkpoints.find(({ next }) => next.includes(before))?.id ?? '';
    const identity = {
      id: 'f',
      tenantId: 'acme',
      threadId: null,
      graph: one.run.graph,
      createdBy: by,
      limits: one.run.limits,
    };
    return refuseForkOf(graph, identity, { fork: forkStartAt(at, options, one), startedAt: 0 })?.code.toLowerCase();
  };

const startAt =
  (node: string, over: Over = {}): Operation =>
  (by) => {
    const graph = compileGraph(aDefinition({ ...payment(), ...over }), aCatalog());
    return refuseStartAt(graph, node, by, 0)?.code.toLowerCase();
  };

/** The operations of docs/approvals.md, by name. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  startAt: startAt('pay'),
  'startAt the last node of canceled runs': startAt('check', { onCancel: 'check' }),
  'replan to the approval': signal(() => stopped({ interruptBefore: ['ask'] }), 'replan', { node: 'ask' }),
  'replan of a waiting run': signal(waiting, 'replan', { node: 'pay' }),
  'replan after a breakpoint': signal(() => stopped({ interruptBefore: ['ask'] }), 'replan', { node: 'pay' }),
  'replan to the last node of canceled runs': signal(
    () => startRun(payment({ interruptBefore: ['ask'], onCancel: 'check' })),
    'replan',
    { node: 'check' },
  ),
  'replan after a rejection': signal(() => decided('reject', { onReject: 'fail' }), 'replan', { node: 'pay' }),
  'replan after an expiry': signal(expired, 'replan', { node: 'pay' }),
  'replan with values': signal(waiting, 'replan', { node: 'prep', values: YES }),
  'skip after a rejection': signal(() => decided('reject', { onReject: 'fail' }), 'skip', { output: null }),
  'edit as the approval': signal(() => decided('reject'), 'edit', { asNode: 'ask', values: YES }),
  'edit as a node before a gated one': signal(() => stopped({ interruptBefore: ['prep'] }), 'edit', {
    asNode: 'check',
  }),
  'edit as a node before the last one of canceled runs': signal(
    () => startRun(payment({ interruptBefore: ['prep'], onCancel: 'pay' })),
    'edit',
    { asNode: 'check' },
  ),
  'edit after a cancellation': signal(canceled, 'edit', { asNode: 'check' }),
  'edit of a decision': signal(() => decided('reject'), 'edit', { values: YES }),
  'edit of a decision while it is pending': signal(waiting, 'edit', { values: YES }),
  'resume with a decision': signal(() => decided('reject', {}, { interruptAfter: ['ask'] }), 'resume', { values: YES }),
  'fork behind the approval': fork(() => decided('approve'), 'pay'),
  'fork at a breakpoint after it': fork(() => decided('approve', {}, { interruptAfter: ['ask'] }), 'check'),
  'fork at the last node of canceled runs': fork(() => decided('approve', {}, { onCancel: 'pay' }), 'pay'),
  'fork as the approval': fork(() => decided('reject'), 'ask', { asNode: 'ask', values: YES }),
  'fork as a node behind it': fork(() => decided('reject'), 'prep', { asNode: 'check' }),
  'fork with a decision': fork(() => decided('reject'), 'prep', { values: YES }),
  'fork with another graph': otherGraph(() => decided('approve'), 'pay'),
  'fork with another graph, as a node': otherGraph(() => decided('reject'), 'ask', { asNode: 'check' }),
  'fork with another graph and a decision': otherGraph(() => decided('reject'), 'prep', { values: YES }),
};

/** The operations of each row of the table in docs/approvals.md. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  startAt: operationsNamed(/^startAt/),
  replan: operationsNamed(/^replan/),
  'edit with asNode': operationsNamed(/^edit (as|after)/),
  'edit, values of a resume': operationsNamed(/^(edit of|resume)/),
  skip: operationsNamed(/^skip/),
  fork: operationsNamed(/^fork (?!with another)/),
  'fork with another graph': operationsNamed(/^fork with another/),
};
const OPEN_ROW = 'retry, cancel, fail, a resume without values';

function operationsNamed(pattern: RegExp): readonly string[] {
  return Object.keys(OPERATIONS).filter((name) => pattern.test(name));
}

test('each row of the documented table of gated operations is tested', () => {
  const page = readFileSync(new URL('../../docs/approvals.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| door '));
  const rows = [...table.matchAll(/^\| (.+?) *\|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''));
  expect(rows.slice(2)).toEqual([...Object.keys(ROWS), OPEN_ROW]);
  expect(Object.values(ROWS).flat().sort()).toEqual(Object.keys(OPERATIONS).sort());
});

describe.each(Object.entries(OPERATIONS))('%s', (_, open) => {
  test('an operation that an approval gates is refused to a user', () => {
    expect(open(UMA)).toBe('not_an_approver');
  });

  test('an operation that an approval gates is allowed to an approver', () => {
    expect(open(ADA)).toBeUndefined();
  });
});

test.each<[string, Operation]>([
  ['startAt before the approval', startAt('prep')],
  ['startAt at the approval, which is then requested', startAt('ask')],
  [
    'replan to a node before the approval',
    signal(() => stopped({ interruptBefore: ['ask'] }), 'replan', { node: 'prep' }),
  ],
  [
    'retry of a rejected approval, which is requested again',
    signal(() => decided('reject', { onReject: 'fail' }), 'retry', {}),
  ],
  ['edit of another channel', signal(waiting, 'edit', { values: { amount: 1 } })],
  [
    'edit as a node that leads to the approval',
    signal(() => stopped({ interruptBefore: ['prep'] }), 'edit', { asNode: 'prep' }),
  ],
  ['fork before the approval', fork(() => decided('approve'), 'ask')],
  ['fork with another graph before the approval', otherGraph(() => decided('approve'), 'ask')],
])('an operation that needs no approval is allowed to a user: %s', (_, open) => {
  expect(open(UMA)).toBeUndefined();
});

describe('the policy of the gating approval is applied', () => {
  test.each<[Ask, Principal, string | undefined]>([
    [{ policy: { users: ['uma'] } }, UMA, undefined],
    [{ policy: { users: ['uma'], excludeRequester: true } }, UMA, 'not_an_approver'],
    [{ policy: { roles: ['boss'] } }, ADA, 'not_an_approver'],
    [{ policy: { quorum: 2 } }, ADA, 'not_an_approver'],
    [{ policy: { requireReason: true } }, ADA, 'not_an_approver'],
  ])('the policy of the approval that gates an operation is applied: %j', (ask, by, reason) => {
    expect(startAt('pay', payment({}, ask))(by)).toBe(reason);
    expect(signal(() => startRun(payment({}, ask)), 'replan', { node: 'pay' })(by)).toBe(reason);
  });

  test('the policy of the approval that gates an operation is applied with its escalation, while the approval is pending', () => {
    const boss = { sub: 'bo', roles: ['boss'] };
    const policy = { roles: ['approver'], escalate: [{ after: '1h', roles: ['boss'] }] };
    const run = waiting({ policy });
    run.signal('replan', { node: 'pay', by: boss });
    expect(run.events.at(-1)).toMatchObject({ reason: 'not_an_approver' });
    run.passTime(3_600_000);
    run.signal('replan', { node: 'pay', by: boss });
    expect(run.run.status).toBe('completed');
  });
});
