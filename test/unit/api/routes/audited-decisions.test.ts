import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import type { SignalResult } from '../../../../src/graph/run/index.ts';
import type { JsonObject } from '../../../../src/graph/values/index.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aBatch, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { readAll } from '../../../support/readers/api-runs.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/** The answer of a run to a decision or control. */
type Reply = 'taken' | 'too-late' | 'silent';

const replies = new Map<string, Reply>();
const ANSWERS: Readonly<Record<Reply, (id: string, subject: string) => Promise<SignalResult>>> = {
  taken: async (id, subject) => ({ id, taken: true, value: { id: subject, decisions: [] } }),
  'too-late': async (id) => ({ id, taken: false, refusal: { code: 'ALREADY_DECIDED', message: 'too late' } }),
  silent: async () => await Promise.reject(unavailable('A worker of this run')),
};

let api: TestApi;
let runId: string;
const approval = (n: number): string => `${runId}.a${n}`;

beforeAll(async () => {
  const signalAndAsk = async (
    run: { readonly id: string },
    _name: string,
    payload: JsonObject & { signalId: string },
  ) => {
    const { approvalId, signalId } = payload;
    const subject = typeof approvalId === 'string' ? approvalId : run.id;
    return await ANSWERS[replies.get(subject) ?? 'taken'](signalId, subject);
  };
  api = await startTestApi({}, { engine: anAbsentEngine({ start: async () => undefined, signalAndAsk }) });
  await api.as('user').post('/api/graphs', aDefinition({ name: 'mine' }));
});
afterAll(async () => await api.stop());
beforeEach(async ({ task }) => {
  replies.clear();
  const { body } = await api.as('user').post('/api/runs', { graph: 'mine', threadId: `thread of ${task.id}` });
  runId = textAt(body, '/id');
  const approvals = [1, 2, 3].map((n) => ({ ...anApproval(runId, 'pending'), id: approval(n) }));
  await writeTo(
    api.store,
    { id: runId, tenantId: 'demo' },
    aBatch([1], { approvals, view: aView({ status: 'waiting' }) }),
  );
});

/** The audited acts on the run, by subject. */
async function acts(): Promise<unknown> {
  const entries = await readAll(api.as('admin'), `/admin/audit?runId=${runId}`, 100);
  return Object.fromEntries(entries.map((entry) => [textAt(entry, '/subject'), textAt(entry, '/action')]));
}

describe('several decisions of one chat message', () => {
  async function decideAll(threadId: string): Promise<number> {
    const parts = [1, 2, 3].map((n) => ({
      type: 'dynamic-tool',
      toolName: 'pay',
      toolCallId: `c${n}`,
      state: 'approval-responded',
      input: {},
      approval: { id: approval(n), approved: n !== 2 },
    }));
    const response = await api.request('/api/chat/mine', {
      method: 'POST',
      headers: { authorization: `Bearer ${api.tokens.approver}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: threadId, messages: [{ id: 'a', role: 'assistant', parts }] }),
    });
    await response.body?.cancel();
    return response.status;
  }

  test('decisions of one chat message are audited up to the one that fails', async ({ task }) => {
    replies.set(approval(2), 'silent').set(approval(3), 'silent');
    expect(await decideAll(`thread of ${task.id}`)).toBe(503);
    expect(await acts()).toEqual({ [approval(1)]: 'approval.approve', [approval(2)]: 'approval.reject' });
  });

  test('decisions of a chat message that other people have made before are not audited', async ({ task }) => {
    replies.set(approval(1), 'too-late').set(approval(2), 'too-late');
    expect(await decideAll(`thread of ${task.id}`)).toBe(200);
    expect(await acts()).toEqual({ [approval(3)]: 'approval.approve' });
  });
});

describe('bulk acts with an unknown effect', () => {
  test('a bulk decision that possibly takes effect is audited', async () => {
    replies.set(approval(1), 'silent').set(approval(2), 'too-late');
    const decisions = [1, 2, 3].map((n) => ({ approvalId: approval(n), decision: 'approve' }));
    await api.as('approver').post('/api/approvals/decisions', { decisions });
    expect(await acts()).toEqual({ [approval(1)]: 'approval.approve', [approval(3)]: 'approval.approve' });
  });

  test('a bulk control that possibly takes effect is reported and audited', async () => {
    replies.set(runId, 'silent');
    const { body } = await api.as('user').post('/api/runs/bulk', { action: 'pause', ids: [runId, 'none'] });
    expect(at(body, '/failed')).toEqual([
      { id: runId, code: 'UNAVAILABLE', detail: expect.any(String), mayTakeEffect: true },
      { id: 'none', code: 'UNKNOWN_RUN', detail: expect.any(String) },
    ]);
    expect(await acts()).toEqual({ [runId]: 'run.pause' });
  });
});
