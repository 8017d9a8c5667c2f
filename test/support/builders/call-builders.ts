import type { CallTask } from '../../../src/activities/calls/call-task.ts';
import type { GenerateContext, ModelRequest } from '../../../src/activities/models/model.ts';
import type { AnsweredBytes, CodeToolContext, Tool, ToolCall } from '../../../src/activities/tools/tool.ts';
import type { CallPolicy, RetryPolicy } from '../../../src/graph/definition/call-policy.ts';
import type { StoredFilePart } from '../../../src/graph/definition/message.ts';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { ModelCallRequest, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import { createLogger } from '../../../src/process/logger.ts';

/** Builds a policy. Its default times are too long to affect a test. */
export function aPolicy({
  retry,
  ...over
}: Partial<Omit<CallPolicy, 'retry'>> & { retry?: Partial<RetryPolicy> } = {}): CallPolicy {
  return {
    timeoutMs: 60_000,
    deadlineMs: null,
    heartbeatMs: 20_000,
    retry: { maxAttempts: 3, initialMs: 1_000, coefficient: 2, maxMs: 60_000, nonRetryable: [], ...retry },
    ...over,
  };
}

export function aToolRequest(over: Partial<ToolCallRequest> = {}): ToolCallRequest {
  return { kind: 'tool', tool: 'pay', args: { order: 7 }, effect: 'keyed', policy: aPolicy(), ...over };
}

export function aModelRequest(over: Partial<ModelCallRequest> = {}): ModelCallRequest {
  return {
    kind: 'model',
    model: 'default',
    system: null,
    messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
    tools: [],
    context: null,
    output: null,
    temperature: null,
    maxOutputTokens: null,
    policy: aPolicy(),
    ...over,
  };
}

/** Builds a question to a model, by default without tools. */
export function aModelQuestion(over: Partial<ModelRequest> = {}): ModelRequest {
  const { kind: _kind, policy: _policy, context: _context, tools: _tools, ...asked } = aModelRequest();
  return { ...asked, tools: [], ...over };
}

export function aModelContext(over: Partial<GenerateContext> = {}): GenerateContext {
  const readFile = async (): Promise<Uint8Array> => await Promise.reject(new Error('There are no files'));
  return { key: 'K1', signal: new AbortController().signal, emit: () => undefined, readFile, ...over };
}

export function aTask(over: Partial<CallTask<ToolCallRequest>> = {}): CallTask<ToolCallRequest> {
  return {
    key: 'R1.pay.1',
    takeover: 0,
    node: 'pay',
    runId: 'R1',
    tenantId: 'acme',
    graph: 'shop',
    createdBy: { sub: 'ann', roles: ['user'] },
    journal: null,
    request: aToolRequest(),
    ...over,
  };
}

/** Builds a tool that accepts any arguments. */
export function aTool(over: Partial<Tool> & Pick<Tool, 'execute'>): Tool {
  return { name: 'pay', description: 'Pay', parameters: true, effect: 'keyed', ...over };
}

/** The id of each file that the context of `aContext` stores. */
const FILE_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

export function aContext(over: Partial<ToolCall> = {}): ToolCall {
  const signal = new AbortController().signal;
  const principal = { sub: 'ann', roles: ['user'] };
  const logger = createLogger('silent');
  const prepare = async <T>(work: Promise<T>): Promise<T> => await work;
  const keepFile = async ({ mediaType }: AnsweredBytes): Promise<StoredFilePart> =>
    await Promise.resolve({ type: mediaType.startsWith('image/') ? 'image' : 'file', blob: FILE_ID, mediaType });
  return {
    key: 'K1',
    runId: 'R1',
    tenantId: 'acme',
    principal,
    attempt: 1,
    signal,
    logger,
    prepare,
    keepFile,
    attachFile: () => undefined,
    progress: () => undefined,
    ...over,
  };
}

/** Builds the context of a code tool. The value of each secret is its name. */
export function aCodeContext(over: Partial<CodeToolContext> = {}): CodeToolContext & ToolCall {
  const nothing = { secret: (name: string) => name, heartbeat: () => undefined };
  return { ...aContext(), ...nothing, ...over };
}

/** The first event of a run. */
export function aJournalBatch(over: Partial<JournalBatch> = {}): JournalBatch {
  const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 };
  return {
    events: [{ seq: 1, at: '2026-01-02T03:04:05.678Z', step: 0, type: 'step.started', nodes: ['pay'] }],
    checkpoints: [],
    approvals: [],
    occurrences: [],
    endedState: null,
    view: {
      status: 'running',
      startedAt: '2026-01-02T03:04:05.678Z',
      endedAt: null,
      step: 0,
      next: [],
      waitingFor: [],
      output: null,
      error: null,
      usage,
      raisedLimits: {},
      checkpointId: null,
      pending: [],
    },
    ...over,
  };
}
