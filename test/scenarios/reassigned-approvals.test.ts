import { describe, expect, test } from 'vitest';
import type { ApprovalPolicy } from '../../src/graph/definition/node-types/approval.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const ADA = { sub: 'ada', roles: ['lead', 'approver'] };
const BOB = { sub: 'bob', roles: ['user'] };
const ROOT = { sub: 'root', roles: ['admin'] };

function ask(policy: ApprovalPolicy): MemoryRun {
  const node = {
    type: 'approval',
    title: 'Go?',
    args: { n: 1 },
    policy,
    write: { log: '{{ result.decision }}' },
  } as const;
  return runInMemory({ definition: aDefinition({ nodes: { ask: node } }), catalog: aCatalog(), input: {} }, {});
}

const approvalOf = (run: MemoryRun) => Object.values(run.run.approvals)[0];
const refusalsOf = (run: MemoryRun) =>
  run.events.flatMap((event) => (event.type === 'signal.ignored' ? [event.reason] : []));

describe('an approval that is reassigned', () => {
  test('a reassigned approval is decided by its new approvers, not by the earlier ones, and keeps its content', () => {
    const run = ask({ roles: ['lead'], requireReason: true });
    const before = approvalOf(run);
    run.signal('reassign', { by: ADA, users: ['bob'] });
    expect(approvalOf(run)).toEqual({ ...before, policy: { users: ['bob'], requireReason: true }, reassigned: 1 });
    expect(run.events.at(-1)).toMatchObject({
      type: 'approval.reassigned',
      node: 'ask',
      by: 'ada',
      from: { roles: ['lead'], users: [] },
      to: { roles: [], users: ['bob'] },
    });
    run.signal('approve', { by: ADA, reason: 'fine' });
    run.signal('approve', { by: BOB });
    expect(refusalsOf(run)).toEqual(['not_an_approver', 'reason_required']);
    run.signal('approve', { by: BOB, reason: 'fine', digest: before?.digest ?? '' });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.completed', output: { log: ['approved'] } });
  });

  test('a reassigned approval keeps the decisions so far', () => {
    const run = ask({ roles: ['lead'], quorum: 2 });
    run.signal('approve', { by: ADA });
    run.signal('reassign', { by: ADA, users: ['bob'] });
    run.signal('approve', { by: BOB });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.completed', output: { log: ['approved'] } });
  });

  test.each<[string, ApprovalPolicy]>([
    ['without its role', { roles: ['lead'] }],
    ['who is not among its users', { users: ['ada'] }],
    ['without the permission to decide, if the policy names nobody', {}],
    ['who started the run, if the policy excludes the requester', { roles: ['user'], excludeRequester: true }],
    ['to whom the approval escalates only later', { roles: ['lead'], escalate: [{ after: '1d', roles: ['user'] }] }],
  ])('an approval can not be reassigned by a person %s', (_who, policy) => {
    const run = ask(policy);
    const { requestedBy: sub = '' } = approvalOf(run) ?? {};
    for (const to of [{ users: ['bob'] }, { users: [sub] }, { roles: ['user'] }])
      run.signal('reassign', { by: { sub, roles: ['user'] }, ...to });
    expect(refusalsOf(run)).toEqual(['not_an_approver', 'not_an_approver', 'not_an_approver']);
    expect(approvalOf(run)?.policy).toEqual(policy);
  });

  test('an admin can reassign an approval only to other people, and each reassignment is counted', () => {
    const run = ask({ roles: ['lead'] });
    run.signal('reassign', { by: ROOT, roles: ['admin'] });
    expect(refusalsOf(run)).toEqual(['not_an_approver']);
    run.signal('reassign', { by: ROOT, users: ['bob'] });
    run.signal('reassign', { by: BOB, users: ['uma'] });
    expect(approvalOf(run)).toMatchObject({ policy: { users: ['uma'] }, reassigned: 2 });
  });

  test.each<[string, ApprovalPolicy, object]>([
    ['nobody', {}, { roles: [], users: [] }],
    ['fewer people than the quorum', { roles: ['lead'], quorum: 2 }, { users: ['bob'] }],
    ['people of whom one is excluded', { quorum: 2, excludeRequester: true }, { users: ['bob', 'uma'] }],
    ['empty names', {}, { users: [''] }],
  ])('an approval can not be reassigned to %s', (_whom, policy, to) => {
    const run = ask(policy);
    run.signal('reassign', { by: ADA, ...to });
    expect(refusalsOf(run)).toEqual(['malformed']);
    expect(approvalOf(run)?.policy).toEqual(policy);
  });

  test('an approval can not be reassigned to fewer people than are needed after an edit has voided a decision', () => {
    const run = ask({ roles: ['lead'], users: ['bob'], quorum: 2 });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: BOB, args: { n: 2 } });
    run.signal('reassign', { by: ADA, users: ['bob'] });
    expect(refusalsOf(run)).toEqual(['malformed']);
  });

  test('a reassigned approval is listed for its new approvers', () => {
    const run = ask({});
    const id = approvalOf(run)?.id ?? '';
    run.signal('pause', {});
    run.signal('approve', { by: ADA, approvalId: id });
    run.signal('reassign', { by: ADA, approvalId: id, users: ['bob'] });
    run.signal('reassign', { by: ADA, approvalId: 'none', users: ['bob'] });
    expect(refusalsOf(run)).toEqual([expect.any(String), 'unknown_approval']);
  });
});
