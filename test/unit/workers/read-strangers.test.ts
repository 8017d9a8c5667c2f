import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { coresdk } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { createSignalReader } from '../../../src/process/payloads/read-signal.ts';
import { readStrangers } from '../../../src/workers/read-strangers.ts';
import { aReference, aStoreOf } from '../../support/builders/signal-payloads.ts';

const RECEIVER = { namespace: 'default', workflowId: 'run:acme:R1', isReplaying: false };
const broken = aReference({ id: 'run:acme:R1/gone' });
const sound = defaultPayloadConverter.toPayload({ reason: 'ok' });

async function read(...jobs: coresdk.workflow_activation.IWorkflowActivationJob[]) {
  await readStrangers({ jobs }, RECEIVER, createSignalReader(aStoreOf({}), []));
  return jobs;
}
const valuesOf = (payloads: readonly Payload[] | null | undefined): unknown =>
  payloads?.map((payload) => defaultPayloadConverter.fromPayload(payload));

test('each signal is read on its own', async () => {
  const jobs = await read(
    { signalWorkflow: { signalName: 'approve', input: [broken] } },
    { signalWorkflow: { signalName: 'pause', input: [sound] } },
    { signalWorkflow: { signalName: 'resume', input: [] } },
  );
  expect(jobs.map(({ signalWorkflow }) => valuesOf(signalWorkflow?.input))).toEqual([
    [{ $unreadable: expect.any(String) }],
    [{ reason: 'ok' }],
    [],
  ]);
});

test('of several payloads of a signal the first one counts, and no other is fetched', async () => {
  const [job] = await read({ signalWorkflow: { signalName: 'approve', input: [sound, broken] } });
  expect(valuesOf(job?.signalWorkflow?.input)).toEqual([{ reason: 'ok' }]);
});

test('headers that refer to something are left out', async () => {
  const headers = { traceparent: sound, other: broken };
  const jobs = await read({ signalWorkflow: { headers, input: [] } }, { queryWorkflow: { headers } });
  expect(jobs.map((job) => (job.signalWorkflow ?? job.queryWorkflow)?.headers)).toEqual([
    { traceparent: sound },
    { traceparent: sound },
  ]);
});

test('a query with a reference has no arguments, one with words keeps them', async () => {
  const jobs = await read(...[broken, sound].map((one) => ({ queryWorkflow: { arguments: [one] } })));
  expect(jobs.map((job) => job.queryWorkflow?.arguments)).toEqual([[], [sound]]);
});

test('nothing of an update is read', async () => {
  const [job] = await read({ doUpdate: { name: 'x', input: [broken], headers: { other: broken } } });
  expect(job?.doUpdate).toMatchObject({ name: 'x', input: [], headers: {} });
});

test('what others than strangers send stays as it is', async () => {
  const [job] = await read({ resolveActivity: { seq: 1, result: { completed: { result: broken } } } });
  expect(job?.resolveActivity?.result?.completed?.result).toBe(broken);
});
