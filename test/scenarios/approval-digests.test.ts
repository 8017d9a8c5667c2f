import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { adds, decideLast, startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver'] };

/** The SHA-256 of `{"args":{"amount":40},"details":null,"title":"Pay?"}`. */
const OF_40 = '77d75b35a67d193ddd2fbab2eefa984865d645aa64da4149c7e5dfd3f09ad426';
/** The SHA-256 of `{"args":{"amount":41},"details":null,"title":"Pay?"}`. */
const OF_41 = 'b0576abcc4ad805adc4eabc7bca632348546526f031dfd5f16d12ea01001b36d';

function asking(over: Partial<NodeDefinition & { readonly type: 'approval' }> = {}, loop = false): MemoryRun {
  const node = { type: 'approval', title: 'Pay?', args: { amount: 40 }, write: 'out', ...over } as const;
  return startRun({
    channels: { out: {}, log: { reducer: 'append' } },
    nodes: { ask: node, pay: adds('paid'), no: adds('no') },
    edges: [
      { from: '__start__', to: 'ask' },
      { from: 'ask', route: 'state.out.decision', paths: { approved: 'pay' }, default: 'no' },
      ...(loop ? [{ from: 'no', to: 'ask' }] : []),
    ],
  });
}

/** Forks a run at its first checkpoint. */
function forkAtStart(run: MemoryRun): MemoryRun {
  const fork = run.fork(run.checkpoints[0]?.id ?? '');
  if ('code' in fork) throw new Error(fork.message);
  return fork;
}

const approvalOf = ({ run }: MemoryRun, number: number) => run.approvals[`run-1.a${number}`];

describe('the digest of an approval', () => {
  test('the digest of an approval is the SHA-256 of title, details and arguments as canonical JSON', () => {
    expect(approvalOf(asking(), 1)?.digest).toBe(OF_40);
    expect(asking().events).toMatchObject([{}, {}, {}, {}, { approval: { digest: OF_40, previous: [] } }]);
  });

  test('the digest of an approval treats absent parts as null and ignores the order of keys', () => {
    const [one, other] = [asking({ args: { a: 1, b: [2] } }), asking({ args: { b: [2], a: 1 } })];
    expect(approvalOf(one, 1)?.digest).toBe(approvalOf(other, 1)?.digest);
    expect(approvalOf(asking({ details: 'x' }), 1)?.digest).not.toBe(OF_40);
    expect(approvalOf(asking({ title: 'Pay it?' }), 1)?.digest).not.toBe(OF_40);
  });

  test('the digest of an approval changes when a decision edits the arguments', () => {
    const run = asking({ policy: { quorum: 2 } });
    run.signal('approve', { by: ADA, args: { amount: 41 } });
    expect(approvalOf(run, 1)).toMatchObject({ status: 'pending', args: { amount: 41 } });
    run.signal('approve', { by: BOB, digest: OF_40 });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'approval_changed' });
    run.signal('approve', { by: BOB, digest: approvalOf(run, 1)?.digest ?? '' });
    expect(run.run.status).toBe('completed');
  });
});

describe('a decision that names a digest', () => {
  test.each<[Json, string | undefined]>([
    [OF_40, undefined],
    [[OF_41, OF_40], undefined],
    [OF_41, 'approval_changed'],
    ['', 'approval_changed'],
    [[], 'approval_changed'],
    [7, 'malformed'],
  ])('a decision with the digest %j is refused as %s', (digest, reason) => {
    for (const decision of ['approve', 'reject']) {
      const run = asking();
      run.signal(decision, { by: ADA, digest });
      const last = run.events.at(-1);
      expect(last?.type === 'signal.ignored' ? last.reason : undefined).toBe(reason);
      expect(run.run.status).toBe(reason === undefined ? 'completed' : 'waiting');
    }
  });

  test('a decision with a wrong digest reports a missing permission or an earlier decision rather than the digest', () => {
    const run = asking({ policy: { roles: ['boss'] } });
    run.signal('approve', { by: ADA, digest: OF_41 });
    expect(run.events.at(-1)).toMatchObject({ reason: 'not_an_approver' });
    const late = asking();
    late.signal('pause', { by: ADA });
    late.signal('approve', { by: ADA });
    late.signal('approve', { by: BOB, approvalId: 'run-1.a1', digest: OF_41 });
    expect(late.events.at(-1)).toMatchObject({ reason: 'already_decided' });
  });
});

describe('the previous approvals of an approval that is requested again', () => {
  const earlier = (id: number, status: string, reason: string | null) => ({
    id: `run-1.a${id}`,
    status,
    decisions: reason === null ? [] : [{ by: 'ada', decision: 'reject', reason, at: expect.any(String) }],
  });

  test('an approval that is requested again lists earlier rejections', () => {
    const run = asking({}, true);
    decideLast(run, 'reject', { by: ADA, reason: 'too much' });
    decideLast(run, 'reject', { by: ADA, reason: 'still' });
    expect(approvalOf(run, 3)?.previous).toEqual([earlier(1, 'rejected', 'too much'), earlier(2, 'rejected', 'still')]);
  });

  test('an approval that is requested again lists a rejection that failed the run, after a retry', () => {
    const run = asking({ onReject: 'fail' });
    decideLast(run, 'reject', { by: ADA, reason: 'no' });
    run.reopen('retry');
    expect(approvalOf(run, 2)).toMatchObject({ status: 'pending', previous: [earlier(1, 'rejected', 'no')] });
  });

  test('an approval that is requested again lists an expired approval and one that a replan withdrew', () => {
    const run = asking({ timeout: '1h', onTimeout: 'fail', onError: 'intervene' });
    run.passTime(3_600_000);
    run.signal('retry', {});
    run.signal('replan', { node: 'ask', by: ADA });
    expect(approvalOf(run, 3)?.previous).toEqual([earlier(1, 'expired', null), earlier(2, 'canceled', null)]);
  });

  test('an approval that is requested again in a fork lists the rejections in its parent runs', () => {
    const run = asking({ onReject: 'fail' });
    decideLast(run, 'reject', { by: ADA, reason: 'no' });
    const fork = forkAtStart(run);
    const first = `${fork.run.id}.a1`;
    expect(fork.run.approvals).toMatchObject({ [first]: { previous: [earlier(1, 'rejected', 'no')] } });
    decideLast(fork, 'reject', { by: ADA, reason: 'still no' });
    const second = forkAtStart(fork);
    const previous = [earlier(1, 'rejected', 'no'), { ...earlier(1, 'rejected', 'still no'), id: first }];
    expect(second.run.approvals).toMatchObject({ [`${second.run.id}.a1`]: { previous } });
  });

  test('an approval that is requested again in a fork lists nothing from before an approval in the parent run', () => {
    const run = asking({}, true);
    decideLast(run, 'reject', { by: ADA });
    decideLast(run, 'approve', { by: ADA });
    const fork = forkAtStart(run);
    expect(fork.run.approvals).toMatchObject({ [`${fork.run.id}.a1`]: { status: 'pending', previous: [] } });
  });

  test('an approval that is requested again lists at most twenty previous ones, and none from before the last approval', () => {
    const run = startRun({
      nodes: { ask: { type: 'approval', title: 'Go on?' } },
      edges: [
        { from: '__start__', to: 'ask' },
        { from: 'ask', to: 'ask' },
      ],
      limits: { maxSteps: 100 },
    });
    decideLast(run, 'reject', { by: ADA });
    decideLast(run, 'approve', { by: ADA });
    expect(approvalOf(run, 3)?.previous).toEqual([]);
    for (let count = 0; count < 25; count += 1) decideLast(run, 'reject', { by: ADA });
    expect(
      approvalOf(run, 28)
        ?.previous.map(({ id }) => id)
        .slice(-1),
    ).toEqual(['run-1.a27']);
    expect(approvalOf(run, 28)?.previous).toHaveLength(20);
  });
});
