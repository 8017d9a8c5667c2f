import { DefaultChatTransport } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chatOptions } from '../../../../examples/chat/chat-options.ts';
import type { RunView } from '../../../../src/graph/journal/run-view.ts';
import type { RunEventBody } from '../../../../src/graph/journal/events.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { approvalDigest, applyDecision, toPublicApproval } from '../../../../src/graph/run/approval.ts';
import type { Approval } from '../../../../src/graph/run/approval.ts';
import type { SignalResult } from '../../../../src/graph/run/index.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT, aBatch, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { ChatClient } from '../../../support/readers/chat-client.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/*
 * Two people have to approve a payment. Each of them may edit it, and then the other one must see the edit. The engine
 * here decides as a real run does.
 */

let api: TestApi;
let runId: string;
/** The approval in the run's state. */
let approval: Approval;
const POLICY = { quorum: 2, users: ['ada', 'bob'] };

beforeAll(async () => {
  const engine = anAbsentEngine({
    start: async () => undefined,
    signalAndAsk: async (...[, , sent]) => await hear(sent),
  });
  api = await startTestApi({ models: { default: { provider: 'openai', model: 'm' } } }, { engine });
  const nodes = { ask: { type: 'approval', title: 'Go?', policy: POLICY } } as const;
  const channels = { messages: { reducer: 'messages' } } as const;
  const edges = [{ from: '__start__', to: 'ask' }];
  await api.as('user').post('/api/graphs', aDefinition({ name: 'helper', channels, nodes, edges }));
});
afterAll(async () => await api.stop());
beforeEach(async ({ task }) => {
  const input = { messages: [] };
  const { body } = await api.as('user').post('/api/runs', { graph: 'helper', threadId: task.id, input });
  runId = textAt(body, '/id');
  const shown = { title: 'Pay?', details: null, args: { euros: 100 } };
  const digest = approvalDigest(shown);
  approval = { ...anApproval(runId, 'pending'), ...shown, digest, asked: digest, policy: POLICY };
  await happen([
    { type: 'run.started', graph: {}, by: 'ann' },
    { type: 'step.started', nodes: ['ask'] },
    { type: 'approval.requested', node: 'ask', visit: 1, approval: toPublicApproval(approval) },
  ]);
});

async function happen(events: readonly RunEventBody[], view: Partial<RunView> = { status: 'waiting' }): Promise<void> {
  const after = (await api.store.runs.find(runId))?.lastSeq ?? 0;
  const numbered = events.map((event, at) => ({ ...event, seq: after + 1 + at, at: AT, step: 0 }));
  const batch = aBatch([], { events: numbered, approvals: [approval], view: aView(view) });
  await writeTo(api.store, { id: runId, tenantId: 'demo' }, batch);
}

/** Makes a person decide in the run, which ends after two approvals. */
async function decides(sub: string, over: { readonly args?: Json; readonly digests?: readonly string[] } = {}) {
  const by = { sub, roles: [], permissions: ['approval:decide'] } as const;
  const decided = applyDecision(approval, { decision: 'approve', by, at: AT, ...over });
  if ('refusal' in decided) return decided;
  ({ approval } = decided);
  const { args, status } = approval;
  const of = { node: 'ask', visit: 1, approvalId: approval.id, by: sub } as const;
  await happen([{ ...of, type: 'approval.decided', decision: 'approve', reason: null, status, args }]);
  if (status === 'approved')
    await happen([{ type: 'run.completed', output: {} }], { status: 'completed', endedAt: AT });
  return decided;
}

async function hear({ signalId: id, digest }: JsonObject & { readonly signalId: string }): Promise<SignalResult> {
  const digests = Array.isArray(digest) ? { digests: digest.map(String) } : {};
  const decided = await decides('bob', digests);
  return 'refusal' in decided
    ? { id, taken: false, refusal: decided.refusal }
    : { id, taken: true, value: { id: approval.id, decided: approval.decisions.length } };
}

/** Opens a chat of the second person, who sees the question. */
async function open(threadId: string): Promise<ChatClient> {
  const { sendAutomaticallyWhen } = chatOptions({ token: () => '' });
  const transport = new DefaultChatTransport({
    api: 'http://127.0.0.1/api/chat/helper',
    headers: { authorization: `Bearer ${api.tokens.approver2}` },
    fetch: async (url, init) => await api.request(new Request(url).url, init),
  });
  const chat = new ChatClient({ id: threadId, transport, sendAutomaticallyWhen });
  await chat.resumeStream();
  return chat;
}

/** Approves in a chat. @returns the question as the chat shows it then */
async function approveIn(chat: ChatClient): Promise<unknown> {
  await chat.addToolApprovalResponse({ id: approval.id, approved: true });
  await expect.poll(() => chat.status).toBe('ready');
  expect(chat.errors).toEqual([]);
  return chat.lastParts[0];
}

const asks = (args: Json) => ({ state: 'approval-requested', input: { args } });

describe('an approval in a chat', () => {
  test('an approval in a chat applies to the version that the chat has displayed', async ({ task }) => {
    await decides('ada');
    await approveIn(await open(task.id));
    expect(approval).toMatchObject({ status: 'approved', args: { euros: 100 } });
  });

  test('an approval does not apply to a version that somebody has edited meanwhile, and the question is sent again', async ({
    task,
  }) => {
    const chat = await open(task.id);
    expect(chat.lastParts).toMatchObject([asks({ euros: 100 })]);
    await decides('ada', { args: { euros: 900 } });
    expect(await approveIn(chat)).toMatchObject(asks({ euros: 900 }));
    expect(approval).toMatchObject({ status: 'pending', decisions: [{ by: 'ada' }] });
    await approveIn(chat);
    expect(approval).toMatchObject({ status: 'approved', args: { euros: 900 } });
  });

  test('an approval does not apply to an edited version even if the edit is hidden', async ({ task }) => {
    const nodes = { ask: { fields: { args: '[redacted]' } } } as const;
    await api.store.runs.setRedaction(runId, { ...NOTHING_REDACTED, nodes });
    const chat = await open(task.id);
    await decides('ada', { args: { euros: 900 } });
    expect(await approveIn(chat)).toMatchObject(asks('[redacted]'));
    expect(approval).toMatchObject({ status: 'pending', decisions: [{ by: 'ada' }] });
    await approveIn(chat);
    expect(approval).toMatchObject({ status: 'approved', args: { euros: 900 } });
  });

  test('an approval after a reload applies to the current version', async ({ task }) => {
    await decides('ada', { args: { euros: 900 } });
    const chat = await open(task.id);
    expect(chat.lastParts).toMatchObject([asks({ euros: 900 })]);
    await approveIn(chat);
    expect(approval).toMatchObject({ status: 'approved' });
  });

  /** The parts of a message from a client that keeps only the decision. */
  const sayYes = async (threadId: string): Promise<string> => {
    const parts = [
      { type: 'dynamic-tool', state: 'approval-responded', approval: { id: approval.id, approved: true } },
    ];
    const response = await api.request('/api/chat/helper', {
      method: 'POST',
      headers: { authorization: `Bearer ${api.tokens.approver2}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: threadId, messages: [{ id: 'a', role: 'assistant', parts }] }),
    });
    return await response.text();
  };

  test('an approval without a digest applies to the question as first requested', async ({ task }) => {
    await sayYes(task.id);
    expect(approval.decisions).toMatchObject([{ by: 'bob' }]);
  });

  test('an approval without a digest is refused if others have decided before, and the question is sent again', async ({
    task,
  }) => {
    await decides('ada', { args: { euros: 900 } });
    expect(await sayYes(task.id)).toContain('"args":{"euros":900}');
    expect(approval.decisions).toMatchObject([{ by: 'ada' }]);
  });
});

test('a stream that stays open to the end sends a question again when it is edited', async ({ task }) => {
  const headers = { authorization: `Bearer ${api.tokens.user}` };
  const following = await api.request(`/api/chat/${task.id}/stream?until=end`, { headers });
  await decides('ada', { args: { euros: 900 } });
  const text = await untilSaid(following, '"args":{"euros":900}');
  expect(text).toContain(`"digest":"${approvalDigest(approval)}"`);
});

/** Reads a stream until it contains a text, and disconnects. */
async function untilSaid({ body }: Response, wanted: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(wanted)) break;
  }
  return text;
}
