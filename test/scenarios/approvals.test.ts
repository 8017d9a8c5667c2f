import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Approval } from '../../src/graph/run/approval.ts';
import { adds, firstLogged, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver', 'boss'] };
const UMA = { sub: 'uma', roles: ['user', 'approver'] };

type Ask = Partial<NodeDefinition & { readonly type: 'approval' }>;

function ask(over: Ask = {}): MemoryRun {
  const node = {
    type: 'approval',
    title: 'May I?',
    write: { log: ['{{ result.decision }}', '{{ result.args }}'] },
    ...over,
  } as const;
  return startRun({ nodes: { ask: node, next: adds('next') } });
}

const approvalOf = ({ run }: MemoryRun): Approval | undefined => Object.values(run.approvals)[0];

/** The reason why the last signal was ignored; `undefined` if it was not. */
function refusalOf({ events }: MemoryRun): string | undefined {
  const last = events.at(-1);
  return last?.type === 'signal.ignored' ? last.reason : undefined;
}

describe('a write over the values of a decision', () => {
  const decisionSchema = { type: 'object', properties: { text: { type: 'string' } } } as const;
  const write = { log: ['{{ result.values.text }}', '{{ result.args.amount }}'] };

  test.each([
    ['reject', {}, [null, null, 'next']],
    ['approve', { values: {} }, [null, null, 'next']],
    ['approve', { values: { text: 'yes' } }, ['yes', null, 'next']],
  ])(
    'a node that reads the values of an approval after %s with %j gets null for absent values',
    (signal, content, log) => {
      const run = ask({ decisionSchema, write });
      run.signal(signal, { by: ADA, ...content });
      expect([run.run.status, logOf(run)]).toEqual(['completed', log]);
    },
  );

  test('a node that reads the values of an approval after its timeout gets null for all values', () => {
    const run = ask({ decisionSchema, write, timeout: '1h' });
    run.passTime(3_600_000);
    expect([run.run.status, logOf(run)]).toEqual(['completed', [null, null, 'next']]);
  });
});

describe('the policy of an approval', () => {
  test.each([
    [{ roles: ['boss'] }, ADA, 'not_an_approver'],
    [{ roles: ['boss'] }, BOB, undefined],
    [{ users: ['ada'] }, ADA, undefined],
    [{ users: ['ada'] }, BOB, 'not_an_approver'],
    [{ users: ['ada'], roles: ['boss'] }, BOB, undefined],
    [{ excludeRequester: true }, UMA, 'not_an_approver'],
    [{ excludeRequester: true }, ADA, undefined],
    [{ requireReason: true }, ADA, 'reason_required'],
    [{}, UMA, undefined],
    [{}, { sub: 'eve', roles: ['user'] }, 'not_an_approver'],
  ])('an approval policy with %j gives the decision of the person %j the result %s', (...[policy, by, refusal]) => {
    const run = ask({ policy });
    run.signal('approve', { by });
    expect(refusalOf(run)).toBe(refusal);
    expect(run.run.status).toBe(refusal === undefined ? 'completed' : 'waiting');
  });

  test('an approval policy treats a reason of blanks as no reason', () => {
    const run = ask({ policy: { requireReason: true } });
    run.signal('reject', { by: ADA, reason: ' ' });
    expect(refusalOf(run)).toBe('reason_required');
    run.signal('reject', { by: ADA, reason: 'too much' });
    expect(run.run.status).toBe('completed');
  });

  test('an approval policy requires different people for a quorum', () => {
    const run = ask({ policy: { quorum: 2 } });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: ADA });
    expect(refusalOf(run)).toBe('already_decided');
    run.signal('approve', { by: BOB });
    expect(run.run.status).toBe('completed');
  });

  test('an approval policy restarts the quorum after an approval with edited arguments, while one rejection decides', () => {
    const run = ask({ args: { amount: 1 }, policy: { quorum: 2 } });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: BOB, args: { amount: 2 } });
    expect(run.run.status).toBe('waiting');
    run.signal('approve', { by: UMA });
    expect(logOf(run)).toEqual(['approved', { amount: 2 }, 'next']);
    const other = ask({ policy: { quorum: 2 } });
    other.signal('approve', { by: ADA });
    other.signal('reject', { by: BOB });
    expect(logOf(other)).toEqual(['rejected', null, 'next']);
  });

  test('an approval policy lets a person who approved the old arguments approve the edited ones', () => {
    const run = ask({ args: { amount: 1 }, policy: { quorum: 2, users: ['ada', 'bob'] } });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: BOB, args: { amount: 2 } });
    run.signal('approve', { by: BOB });
    expect([refusalOf(run), run.run.status]).toEqual(['already_decided', 'waiting']);
    run.signal('approve', { by: ADA });
    expect(logOf(run)).toEqual(['approved', { amount: 2 }, 'next']);
  });

  test('an approval policy does not count a person twice when the arguments are edited back', () => {
    const run = ask({ args: { amount: 1 }, policy: { quorum: 2 } });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: BOB, args: { amount: 2 } });
    run.signal('approve', { by: ADA, args: { amount: 1 } });
    expect(run.run.status).toBe('waiting');
    run.signal('approve', { by: BOB });
    expect(logOf(run)).toEqual(['approved', { amount: 1 }, 'next']);
  });

  test('an approval policy limits the number of edits of the arguments', () => {
    const run = ask({ args: 0, policy: { quorum: 2 } });
    for (let n = 1; n <= 30; n += 1) run.signal('approve', { by: n % 2 === 0 ? ADA : BOB, args: n });
    expect(refusalOf(run)).toBe('invalid_args');
    const { decisions } = Object.values(run.run.approvals)[0] ?? { decisions: [] };
    expect(decisions).toHaveLength(21);
    run.signal('approve', { by: decisions.at(-1)?.by === 'ada' ? BOB : ADA });
    expect(run.run.status).toBe('completed');
  });

  test('an approval policy lets other people decide after the time of an escalation', () => {
    const run = ask({ policy: { roles: ['nobody'], escalate: [{ after: '1h', roles: ['boss'] }] } });
    run.signal('approve', { by: BOB });
    expect(refusalOf(run)).toBe('not_an_approver');
    run.passTime(3_600_000);
    run.signal('approve', { by: BOB });
    expect(run.run.status).toBe('completed');
  });
});

describe('the content of a decision', () => {
  const schemas = {
    args: { amount: 1 },
    argsSchema: { type: 'object', properties: { amount: { type: 'number' } } },
    decisionSchema: { type: 'object', required: ['why'] },
  } as const;

  test.each([
    [{ args: { amount: 'x' }, values: { why: 1 } }, 'invalid_args'],
    [{ args: null, values: { why: 1 } }, 'invalid_args'],
    [{ values: {} }, 'invalid_values'],
    [{}, 'invalid_values'],
    [{ values: { why: 1 } }, undefined],
    [{ args: { amount: 3 }, values: { why: 1 } }, undefined],
  ])('an approval with the content %j is refused: %s', (...[content, refusal]) => {
    const run = ask(schemas);
    run.signal('approve', content);
    expect(refusalOf(run)).toBe(refusal);
  });

  test.each([
    [{ args: 'x' }, 'invalid_args'],
    [{ args: null }, 'invalid_args'],
    [{ args: { amount: 'x' }, values: { why: 1 } }, 'invalid_args'],
    [{ values: {} }, 'invalid_values'],
    [{}, undefined],
    [{ values: null }, undefined],
    [{ args: { amount: 3 }, values: { why: 1 } }, undefined],
  ])('a rejection with the content %j is refused: %s', (...[content, refusal]) => {
    const run = ask(schemas);
    run.signal('reject', content);
    expect(refusalOf(run)).toBe(refusal);
    expect(run.run.status).toBe(refusal === undefined ? 'completed' : 'waiting');
  });
});

describe('an approval', () => {
  const two = () =>
    startRun({
      nodes: {
        a: { type: 'approval', title: 'a' },
        b: { type: 'approval', title: 'b' },
        w: { type: 'wait', event: 'go' },
      },
      edges: [{ from: '__start__', to: ['a', 'b', 'w'] }],
    });

  test('an approval must be named when several are pending, and is decided once', () => {
    const run = two();
    run.signal('approve', {});
    expect(refusalOf(run)).toBe('approval_id_required');
    run.signal('approve', { approvalId: 'run-1.a1', by: ADA });
    run.signal('approve', { approvalId: 'run-1.a1', by: BOB });
    expect(refusalOf(run)).toBe('already_decided');
    run.signal('reject', { by: ADA });
    expect(refusalOf(run)).toBe('already_decided');
    run.signal('reject', { approvalId: 'run-1.a2', by: ADA });
    expect(run.run.approvals).toMatchObject({ 'run-1.a2': { status: 'rejected' } });
  });

  test('an approval accepts no decision after it expired or was canceled', () => {
    const run = two();
    run.passTime(7 * 86_400_000);
    run.signal('approve', { approvalId: 'run-1.a1' });
    expect(refusalOf(run)).toBe('approval_expired');
    const left = startRun({ nodes: { a: { type: 'approval', title: 'a' }, w: { type: 'wait', event: 'go' } } });
    left.signal('replan', { node: 'w' });
    left.signal('approve', { approvalId: 'run-1.a1' });
    expect(refusalOf(left)).toBe('approval_canceled');
  });

  test('an approval counts a decision with an id only once', () => {
    const run = ask({ policy: { quorum: 2 } });
    for (const by of [ADA, BOB]) run.signal('approve', { signalId: 'd1', by });
    expect(run.run).toMatchObject({ status: 'waiting', signalResults: [{ id: 'd1', taken: true }] });
  });

  test.each([
    ['expire', 'completed', 'expired'],
    ['reject', 'completed', 'rejected'],
    ['approve', 'completed', 'approved'],
    ['fail', 'failed', 'APPROVAL_EXPIRED'],
  ] as const)('an approval with onTimeout "%s" makes the run %s after its timeout', (...[onTimeout, status, says]) => {
    const run = ask({ timeout: '1h', onTimeout });
    run.passTime(3_600_000);
    expect(run.run.status).toBe(status);
    expect(status === 'failed' ? run.run.error?.code : firstLogged(run)).toBe(says);
    expect(typesOf(run)).toContain('approval.expired');
  });

  test.each([
    ['expire', { onTimeout: 'expire' }, 'expired'],
    ['reject', { onTimeout: 'reject' }, 'rejected'],
    ['approve', { onTimeout: 'approve' }, 'approved'],
  ] as const)(
    'an approval decided by its timeout (%s) keeps the original arguments, without a decider',
    (_, over, decision) => {
      const run = ask({
        args: { amount: 1 },
        policy: { quorum: 3 },
        timeout: '1h',
        write: { log: '{{ result }}' },
        ...over,
      });
      const asked = approvalOf(run);
      run.signal('approve', { by: ADA, reason: 'more', args: { amount: 2 } });
      run.signal('approve', { by: BOB, args: { amount: 3 }, values: { why: 1 } });
      run.passTime(3_600_000);
      const result = { decision, args: { amount: 1 }, by: null, reason: null, values: null };
      expect(firstLogged(run)).toEqual({ ...result, at: asked?.expiresAt });
      const { args, digest, decisions } = approvalOf(run) ?? {};
      expect([args, digest, decisions?.length]).toEqual([asked?.args, asked?.digest, 2]);
      const expired = run.events.filter(({ type }) => type === 'approval.expired');
      expect(expired).toMatchObject([{ status: decision, args: { amount: 1 } }]);
    },
  );

  test('an approval that its timeout rejects does not report the reason of an earlier approver', () => {
    const run = ask({ policy: { quorum: 2 }, timeout: '1h', onTimeout: 'reject', onReject: 'fail' });
    run.signal('approve', { by: ADA, reason: 'fine' });
    run.passTime(3_600_000);
    expect(run.run.error).toMatchObject({ code: 'APPROVAL_REJECTED', message: '"May I?" was rejected' });
  });

  test('an approval that its timeout decided refuses a later decision with that reason', () => {
    const nodes = {
      a: { type: 'approval', title: 'a', timeout: '1h', onTimeout: 'reject', policy: { quorum: 2 } },
      w: { type: 'wait', event: 'go' },
    } as const;
    const run = startRun({ nodes });
    run.signal('approve', { by: ADA });
    run.passTime(3_600_000);
    run.signal('approve', { approvalId: 'run-1.a1' });
    expect(run.events.at(-1)).toMatchObject({ reason: 'already_decided', detail: expect.stringContaining('timeout') });
  });

  test.each([
    [{ by: ADA }, '"May I?" was rejected'],
    [{ by: ADA, reason: 'too much' }, '"May I?" was rejected: too much'],
  ])('an approval with onReject "fail" fails the run when rejected by %j', (...[payload, message]) => {
    const run = ask({ onReject: 'fail' });
    run.signal('reject', payload);
    expect(run.run.error).toMatchObject({ code: 'APPROVAL_REJECTED', message });
  });
});

describe('an intervention', () => {
  const broken = {
    type: 'tool',
    tool: 'charge',
    args: {},
    onError: 'intervene',
    write: { log: '{{ result.x }}' },
  } as const;
  const both = () => startRun({ nodes: { a: broken, b: broken }, edges: [{ from: '__start__', to: ['a', 'b'] }] });

  test.each([
    ['skip', { output: { x: 1 } }, 'intervention_id_required'],
    ['skip', { node: 'c', output: {} }, 'unknown_intervention'],
    ['retry', { id: 'a:2' }, 'unknown_intervention'],
    ['skip', { node: 'a', output: 7 }, 'malformed'],
    ['skip', { node: 'a' }, 'malformed'],
  ])('an intervention refuses the control %s with %j: %s', (...[signal, payload, reason]) => {
    const run = both();
    const before = run.run.root;
    run.signal(signal, payload);
    expect([refusalOf(run), run.run.root]).toEqual([reason, before]);
  });

  test('a skipped intervention continues with the given output, and the run fails once all interventions are settled', () => {
    const run = both();
    run.signal('skip', { id: 'a:1', output: { x: 1 } });
    expect(run.run.status).toBe('waiting');
    run.signal('fail', { node: 'b' });
    expect(run.run.error).toMatchObject({
      code: 'INVALID_TOOL_ARGUMENTS',
      message: expect.stringContaining('given up by'),
    });
  });

  test('an intervention refuses an output that the channel does not accept', () => {
    const channels = { log: { reducer: 'append' }, n: { reducer: 'sum' } } as const;
    const run = startRun({ channels, nodes: { a: { ...broken, write: { n: '{{ result }}' } } } });
    run.signal('skip', { output: 'x' });
    expect([refusalOf(run), run.run.status]).toEqual(['malformed', 'waiting']);
    run.signal('skip', { output: 3 });
    expect(run.run.root.channels['n']).toBe(3);
  });

  test('an intervention that is settled by fail fails its node with the original error when the error can not be written', () => {
    const onError = { to: 'a', write: { log: '{{ state.log[3] }}' } };
    expect(startRun({ nodes: { a: { ...broken, onError } } }).run.error).toMatchObject({
      code: 'EXPRESSION_FAILED',
      node: 'a',
    });
  });
});

describe('a run that has requested many approvals', () => {
  const elements = Array.from({ length: 150 }, (_, at) => at);
  const start = (): MemoryRun =>
    startRun({
      channels: { log: { reducer: 'append' }, list: { default: elements } },
      nodes: { ask: { type: 'approval', title: 'May I?', write: { log: '{{ index }}' } } },
      edges: [{ from: '__start__', forEach: 'state.list', to: 'ask' }],
    });

  test('a run that has requested many approvals stores all pending approvals and the latest closed ones', () => {
    const run = start();
    for (const at of elements.slice(0, -1)) run.signal('approve', { approvalId: `run-1.a${at + 1}`, by: ADA });
    const statuses = Object.values(run.run.approvals).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'approved')).toHaveLength(100);
    expect([statuses.at(-1), Object.keys(run.run.approvals)[0]]).toEqual(['pending', 'run-1.a50']);
    run.signal('approve', { approvalId: `run-1.a${elements.length}`, by: ADA });
    expect([run.run.status, logOf(run)]).toEqual(['completed', elements]);
  });

  test.each([
    ['run-1.a1', 'already_decided'],
    ['run-1.a151', 'unknown_approval'],
    ['run-1.a0', 'unknown_approval'],
    ['run-1.a', 'unknown_approval'],
    ['run-1.a1.5', 'unknown_approval'],
    ['run-2.a1', 'unknown_approval'],
  ])(
    'a run that has requested many approvals refuses another decision on the approval %s as %s',
    (approvalId, reason) => {
      const run = start();
      for (const at of elements.slice(0, -1)) run.signal('approve', { approvalId: `run-1.a${at + 1}`, by: ADA });
      run.signal('approve', { approvalId, by: ADA });
      expect(refusalOf(run)).toBe(reason);
    },
  );
});
