import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { coresdk } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { createSignalReader } from '../../../src/process/payloads/read-signal.ts';
import { readUntrustedPayloads } from '../../../src/workers/read-untrusted-payloads.ts';
import { aReference, aStoreOf } from '../../support/builders/signal-payloads.ts';

const RECEIVER = { namespace: 'default', workflowId: 'run:acme:R1', isReplaying: false };
const broken = aReference({ id: 'run:acme:R1/gone' });
const sound = defaultPayloadConverter.toPayload({ reason: 'ok' });

async function read(...jobs: coresdk.workflow_activation.IWorkflowActivationJob[]) {
  await readUntrustedPayloads({ jobs }, RECEIVER, createSignalReader(aStoreOf({}), []));
  return jobs;
}
const valuesOf = (payloads: readonly Payload[] | null | undefined): unknown =>
  payloads?.map((payload) => defaultPayloadConverter.fromPayload(payload));

test('each signal of a workflow activation is read separately', async () => {
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

test('only the first payload of a workflow signal is fetched and used', async () => {
  const [job] = await read({ signalWorkflow: { signalName: 'approve', input: [sound, broken] } });
  expect(valuesOf(job?.signalWorkflow?.input)).toEqual([{ reason: 'ok' }]);
});

test('signal headers with references to stored payloads are removed', async () => {
  const headers = { traceparent: sound, other: broken };
  const jobs = await read({ signalWorkflow: { headers, input: [] } }, { queryWorkflow: { headers } });
  expect(jobs.map((job) => (job.signalWorkflow ?? job.queryWorkflow)?.headers)).toEqual([
    { traceparent: sound },
    { traceparent: sound },
  ]);
});

test('a workflow query loses arguments that are payload references and keeps others', async () => {
  const jobs = await read(...[broken, sound].map((one) => ({ queryWorkflow: { arguments: [one] } })));
  expect(jobs.map((job) => job.queryWorkflow?.arguments)).toEqual([[], [sound]]);
});

test('the payloads of a workflow update are removed', async () => {
  const [job] = await read({ doUpdate: { name: 'x', input: [broken], headers: { other: broken } } });
  expect(job?.doUpdate).toMatchObject({ name: 'x', input: [], headers: {} });
});

test('activation jobs that no client has sent are not changed', async () => {
  const [job] = await read({ resolveActivity: { seq: 1, result: { completed: { result: broken } } } });
  expect(job?.resolveActivity?.result?.completed?.result).toBe(broken);
});
