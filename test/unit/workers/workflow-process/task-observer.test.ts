import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { createTaskObserver } from '../../../../src/workers/workflow-process/task-observer.ts';
import type { FailedTask } from '../../../../src/workers/workflow-process/task-observer.ts';
import type { WorkflowTaskFailure } from '../../../../src/workers/workflow-process/task-observer.ts';

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

/** Evicts an execution once. @param failure of its task, before */
function evict(reason: keyof typeof EvictionReason, failure?: WorkflowTaskFailure): Partial<FailedTask>[] {
  const reported: FailedTask[] = [];
  const observer = createTaskObserver((task) => void reported.push(task));
  observer.opened({ workflowId: 'run:acme:1', runId: 'e1' });
  if (failure) observer.failed('e1', failure);
  const eviction = { runId: 'e1', evictJob: { reason: EvictionReason[reason], message: 'of the SDK' } };
  observer.evicted(eviction);
  observer.evicted(eviction);
  return reported;
}

const task = { workflowId: 'run:acme:1', executionRunId: 'e1' };

const boom: WorkflowTaskFailure = { by: 'code', reason: 'boom', proofs: 1 };
const late: WorkflowTaskFailure = { by: 'machine', reason: 'late' };

test.each([
  ['code that fails', evict('LANG_FAIL', boom), { ...task, ...boom }],
  ['a machine that is too busy', evict('LANG_FAIL', late), { ...task, ...late }],
  ['a worker that can not execute it', evict('LANG_FAIL'), { ...task, reason: 'of the SDK', by: 'worker' }],
  ['a completion that Temporal refuses', evict('FATAL'), { ...task, reason: 'of the SDK', by: 'temporal' }],
  [
    'code that differs from the history',
    evict('NONDETERMINISM'),
    { ...task, reason: 'its code does not do what its history says', by: 'code', proofs: 1 },
  ],
])('a failed workflow task is reported once: %s', (_, reported, expected) => {
  expect(reported).toEqual([expected]);
});

test.each(['CACHE_FULL', 'UNHANDLED_COMMAND', 'TASK_NOT_FOUND', 'WORKFLOW_EXECUTION_ENDING'] as const)(
  'an execution that leaves the cache otherwise has not failed: %s',
  (reason) => {
    expect(evict(reason)).toEqual([]);
  },
);

test('a workflow task that waits too long is reported with its run', () => {
  const reported: FailedTask[] = [];
  const observer = createTaskObserver((waiting) => void reported.push(waiting));
  observer.opened({ workflowId: 'run:acme:1', runId: 'e1' });
  observer.waits('e1');
  observer.waits('e2');
  expect(reported).toEqual([{ ...task, reason: 'it waits behind others', by: 'queue' }]);
});

test('a waiting task of a workflow that this worker has not opened is not reported', () => {
  const reported: FailedTask[] = [];
  const observer = createTaskObserver((failed) => void reported.push(failed));
  observer.failed('e2', boom);
  observer.evicted({ runId: 'e2', evictJob: { reason: EvictionReason.LANG_FAIL } });
  expect(reported).toEqual([]);
});
