import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { toPublicApproval } from '../../../../src/graph/run/index.ts';
import { toJson } from '../../../../src/graph/values/index.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/index.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aBatch, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let runId: string;
/** The run's answer to a decision; by default the id of the approval. */
let answered: Json | undefined;
const CLOSED = 30;

beforeAll(async () => {
  const signalAndAsk = async (
    _run: unknown,
    _name: string,
    { signalId, approvalId }: JsonObject & { signalId: string },
  ) => ({ id: signalId, taken: true, value: answered ?? { id: approvalId ?? `${runId}.a99`, decided: 0 } }) as const;
  api = await startTestApi({}, { engine: anAbsentEngine({ start: async () => undefined, signalAndAsk }) });
  const graph = aDefinition({ name: 'looping' });
  runId = textAt((await api.as('user').post('/api/runs', { graph })).body, '/id');
  const closed = Array.from({ length: CLOSED }, (_, at) => ({
    ...anApproval(runId, 'approved'),
    id: `${runId}.a${at}`,
  }));
  const pending = [97, 98, 99].map((at) => ({ ...anApproval(runId, 'pending'), id: `${runId}.a${at}` }));
  const batch = aBatch([1], { approvals: [...closed, ...pending], view: aView({ status: 'waiting' }) });
  await writeTo(api.store, { id: runId, tenantId: 'demo' }, batch);
});
afterAll(async () => await api.stop());
afterEach(() => {
  answered = undefined;
});

/** Decides, and counts the approvals of the run that are read for it. */
async function decided(body: JsonObject) {
  const spies = [vi.spyOn(api.store.approvals, 'withPending'), vi.spyOn(api.store.approvals, 'find')] as const;
  const answer = await api.as('approver').post(`/api/runs/${runId}/approve`, body);
  const read = await Promise.all(spies.flatMap((spy) => spy.mock.results.map(async ({ value }) => await value)));
  for (const spy of spies) spy.mockRestore();
  return { answer, read: read.flat().length };
}

test('a decision reads from the store only the approval that it names', async () => {
  const { answer, read } = await decided({ approvalId: `${runId}.a98` });
  expect(answer.status).toBe(200);
  expect(read).toBeLessThanOrEqual(2);
});

test('a decision without an approval id reads the first and the pending approvals of the run, and names them', async () => {
  const { answer, read } = await decided({});
  expect(answer).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
  for (const at of [97, 98, 99]) expect(textAt(answer.body, '/detail')).toContain(`"Go?" (${runId}.a${at})`);
  expect(read).toBeLessThanOrEqual(7);
});

test('a decision must name an approval of its run', async () => {
  const { answer } = await decided({ approvalId: 'other.a1' });
  expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_APPROVAL'));
});

describe("a run's answer to a decision", () => {
  const named = (): JsonObject => ({ approvalId: `${runId}.a98` });

  test('a decision is answered with the approval that the run returns if that has all fields', async () => {
    answered = toJson({ ...toPublicApproval(anApproval(runId, 'approved')), title: 'As the run has it' });
    expect((await decided(named())).answer).toMatchObject({ status: 200, body: { title: 'As the run has it' } });
  });

  test.each<[string, JsonObject]>([
    ['has no policy', { policy: 1 }],
    ['has an unknown status', { status: 'perhaps' }],
  ])('a decision whose answer from the run %s is completed from the stored approval', async (_what, broken) => {
    const whole = { ...toPublicApproval(anApproval(runId, 'approved')), id: `${runId}.a98`, decisions: [] };
    answered = toJson({ ...whole, title: 'As the run has it', ...broken });
    expect((await decided(named())).answer).toMatchObject({ status: 200, body: { title: 'Go?' } });
  });

  test.each<[string, Json]>([
    ['no fields', 'done'],
    ['no id', { decided: 1 }],
    ['no decisions', { id: 'a' }],
  ])('a decision whose answer from the run has %s is reported as possibly effective', async (_what, broken) => {
    answered = broken;
    expect((await decided(named())).answer).toMatchObject(aProblem(503, 'UNAVAILABLE'));
  });
});
