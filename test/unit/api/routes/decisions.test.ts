import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../../src/graph/values/index.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aBatch, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let runId: string;
const CLOSED = 30;

beforeAll(async () => {
  const signalAndAsk = async (
    _run: unknown,
    _name: string,
    { signalId, approvalId }: JsonObject & { signalId: string },
  ) => ({ id: signalId, taken: true, value: { id: approvalId ?? `${runId}.a99`, decisions: [] } }) as const;
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

/** Decides, and counts the approvals of the run that are read for it. */
async function decided(body: JsonObject) {
  const spies = [vi.spyOn(api.store.approvals, 'withPending'), vi.spyOn(api.store.approvals, 'find')] as const;
  const answer = await api.as('approver').post(`/api/runs/${runId}/approve`, body);
  const read = await Promise.all(spies.flatMap((spy) => spy.mock.results.map(async ({ value }) => await value)));
  for (const spy of spies) spy.mockRestore();
  return { answer, read: read.flat().length };
}

test('a decision reads the approval that it names, and none of the others', async () => {
  const { answer, read } = await decided({ approvalId: `${runId}.a98` });
  expect(answer.status).toBe(200);
  expect(read).toBeLessThanOrEqual(2);
});

test('a decision that names none reads the first, and those that are pending, and tells them', async () => {
  const { answer, read } = await decided({});
  expect(answer).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
  for (const at of [97, 98, 99]) expect(textAt(answer.body, '/detail')).toContain(`"Go?" (${runId}.a${at})`);
  expect(read).toBeLessThanOrEqual(7);
});

test('a decision names an approval of its run', async () => {
  const { answer } = await decided({ approvalId: 'other.a1' });
  expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_APPROVAL'));
});
