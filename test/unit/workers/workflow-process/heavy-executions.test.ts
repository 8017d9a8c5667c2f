import { TypedSearchAttributes } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { expect, test } from 'vitest';
import { createHeavyExecutions } from '../../../../src/workers/workflow-process/heavy-executions.ts';
import type { AnswerBody, ProcessRequestBody } from '../../../../src/workers/workflow-process/messages.ts';
import { openWorkflowHost } from '../../../../src/workers/workflow-process/workflow-host.ts';

const MIB = 1_048_576;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

test.each([
  ['begins with many bytes', { begins: 9 * MIB, tasks: [] }, true],
  [
    'receives many bytes in several tasks',
    {
      begins: MIB,
      tasks: [
        [4 * MIB, 1],
        [4 * MIB, 1],
      ],
    },
    true,
  ],
  ['has a long task', { begins: 1, tasks: [[1, 501]] }, true],
  [
    'has many short tasks',
    {
      begins: 1,
      tasks: [
        [1, 400],
        [1, 400],
      ],
    },
    false,
  ],
  ['receives few bytes', { begins: MIB, tasks: [[MIB, 1]] }, false],
] as const)('whether an execution is heavy if it %s', (_, { begins, tasks }, expected) => {
  const heavy = createHeavyExecutions();
  heavy.addActivation('E', begins);
  for (const [bytes, workedMs] of tasks) heavy.addTask('E', { bytes, workedMs });
  expect([heavy.isHeavy('E'), heavy.isHeavy('other')]).toEqual([expected, false]);
});

const AT = new Date(0);
const INFO: WorkflowInfo = {
  workflowId: 'W',
  runId: 'E',
  workflowType: 'runGraph',
  searchAttributes: {},
  typedSearchAttributes: new TypedSearchAttributes(),
  historyLength: 1,
  historySize: 1,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
  taskQueue: 'holdfast',
  namespace: 'default',
  firstExecutionRunId: 'E',
  originalExecutionRunId: 'E',
  startTime: AT,
  runStartTime: AT,
  taskTimeoutMs: 1,
  attempt: 1,
  unsafe: {
    now: () => 0,
    isReplaying: false,
    isReplayingHistoryEvents: false,
    random: createUnsafeRandomSource(Math.random),
  },
};
const BUNDLE = {
  code: '',
  sourceMap: { file: '', version: 3, sources: [], names: [], mappings: '' },
  filename: '',
};

/** A host whose processes do nothing, and note what they are asked. */
async function openHost(workedMs: number) {
  const processes: string[][] = [];
  const host = await openWorkflowHost({
    start() {
      const asked: string[] = [];
      processes.push(asked);
      const answers: Readonly<Record<ProcessRequestBody['kind'], AnswerBody>> = {
        open: { kind: 'done' },
        create: { kind: 'done' },
        dispose: { kind: 'done' },
        activate: {
          kind: 'activated',
          completion: WorkflowActivationCompletion.encode({ runId: 'E', successful: {} }).finish(),
          sinkCalls: [],
          workedMs,
        },
      };
      return {
        hasEnded: false,
        stop: async () => undefined,
        async request({ kind }) {
          asked.push(kind);
          const answer = answers[kind];
          if (answer.kind === 'failed') throw new Error(answer.message);
          return await Promise.resolve(answer);
        },
      };
    },
    open: { kind: 'open', bundle: BUNDLE, activityNames: new Set<string>(), tasksAtOnce: 1 },
    observer: { opened: () => undefined, waits: () => undefined, failed: () => undefined },
    wasCompleted: async () => await Promise.resolve(true),
  });
  const create = async (): Promise<Workflow> =>
    await host.createWorkflow({ info: INFO, randomnessSeed: [], now: 0, showStackTraceSources: false });
  return { processes, create };
}

const activation = (
  job: coresdk.workflow_activation.IWorkflowActivationJob,
  over: Partial<coresdk.workflow_activation.IWorkflowActivation> = {},
): coresdk.workflow_activation.WorkflowActivation =>
  proto.coresdk.workflow_activation.WorkflowActivation.create({ runId: 'E', jobs: [job], ...over });

const SIGNAL = { signalWorkflow: { signalName: 's' } };
const large = { initializeWorkflow: { arguments: [{ data: new Uint8Array(9 * MIB) }] } };
const ofLocalCall = { resolveActivity: { seq: 1, isLocal: true } };

test('an execution that begins with many bytes runs in the second process', async () => {
  const { processes, create } = await openHost(1);
  const workflow = await create();
  await workflow.activate(activation(large));
  expect(processes).toEqual([['open'], ['open', 'create', 'activate']]);
});

test('an execution that becomes heavy is replayed in the second process and stays there until its eviction', async () => {
  const { processes, create } = await openHost(600);
  const light = await create();
  await light.activate(activation(SIGNAL));
  expect(await light.activate(activation(ofLocalCall))).toMatchObject({ successful: {} });
  const moved = await light.activate(activation(SIGNAL));
  expect(moved.failed?.failure?.message).toContain('another process');
  await light.dispose();
  const heavy = await create();
  expect(await heavy.activate(activation(SIGNAL, { isReplaying: true }))).toMatchObject({ successful: {} });
  expect(await heavy.activate(activation(SIGNAL))).toMatchObject({ successful: {} });
  await heavy.dispose();
  expect(processes).toEqual([
    ['open', 'create', 'activate', 'activate', 'dispose'],
    ['open', 'create', 'activate', 'activate', 'dispose'],
  ]);
  const next = await create();
  await next.activate(activation(SIGNAL));
  expect(processes[0]?.slice(-2)).toEqual(['create', 'activate']);
});

test('a long replay does not make an execution heavy', async () => {
  const { processes, create } = await openHost(600);
  const workflow = await create();
  for (const isReplaying of [true, true, false])
    expect(await workflow.activate(activation(SIGNAL, { isReplaying }))).toMatchObject({ successful: {} });
  expect(processes).toHaveLength(1);
});
