import { MEMORY_SEARCH } from '../../../graph/definition/index.ts';
import type { CallReply, CallRequest } from '../../../graph/run/index.ts';
import { inCallSpan } from '../../../telemetry/traces/in-span.ts';
import type { SpanStart } from '../../../telemetry/traces/in-span.ts';
import { GEN_AI, GENERAL, HOLDFAST } from '../../../telemetry/traces/names.ts';
import { CallError } from '../call-error.ts';
import type { CallTask } from '../call-task.ts';
import { replyContents, requestContents } from './span-contents.ts';

interface TracedAttempt {
  readonly task: CallTask;
  /** 1 for the first. One that was lost with its worker does not count. */
  readonly attempt: number;
  /** The configuration allows contents in spans. */
  readonly showsContents: boolean;
}

/** Makes an attempt of a call in a span of its own, if the run is traced. */
export async function inAttemptSpan(
  { task, attempt, showsContents }: TracedAttempt,
  make: () => Promise<CallReply>,
): Promise<CallReply> {
  const { trace, runId, tenantId, key } = task;
  const place = trace ? { runId, tenantId, run: trace, segment: trace.segment, key } : null;
  const mayShow = showsContents && trace?.isRedacted !== true;
  const start = (): SpanStart => describeAttempt(task, { attempt, mayShow });
  return await inCallSpan(place, start, {
    failureOf: (error) => (error instanceof CallError ? error.code : 'INTERNAL'),
    async work(span) {
      const reply = await make();
      span?.setAttributes({ ...attributesOfReply(reply), ...(mayShow && replyContents(reply)) });
      return reply;
    },
  });
}

function describeAttempt(
  { request, trace, runId, tenantId, node, visit, index, key }: CallTask,
  { attempt, mayShow }: { readonly attempt: number; readonly mayShow: boolean },
): SpanStart {
  const { attributes, ...described } = describeRequest(request);
  const threadId = trace?.threadId ?? null;
  return {
    ...described,
    attributes: {
      ...attributes,
      ...(threadId !== null && { [GEN_AI.conversation]: threadId, [GENERAL.session]: threadId }),
      [HOLDFAST.run]: runId,
      [HOLDFAST.tenant]: tenantId,
      [HOLDFAST.node]: node,
      [HOLDFAST.attempt]: attempt,
      [HOLDFAST.key]: key,
      ...(visit !== undefined && { [HOLDFAST.visit]: visit }),
      ...(index !== undefined && { [HOLDFAST.index]: index }),
      ...(mayShow && requestContents(request)),
    },
  };
}

/** What kinds of calls are called, and what is known of them before they are made. */
function describeRequest(request: CallRequest): SpanStart {
  switch (request.kind) {
    case 'model': {
      const { model, temperature, maxOutputTokens, output } = request;
      return {
        name: `chat ${model}`,
        kind: 'client',
        attributes: {
          [GEN_AI.operation]: 'chat',
          [GEN_AI.requestModel]: model,
          [GEN_AI.outputType]: output === null ? 'text' : 'json',
          ...(temperature !== null && { [GEN_AI.temperature]: temperature }),
          ...(maxOutputTokens !== null && { [GEN_AI.maxTokens]: maxOutputTokens }),
        },
      };
    }
    case 'tool':
      return describeTool(request.tool, operationOf(request.tool, request.memory));
    case 'function':
      return describeTool(request.function, 'execute_tool');
    case 'node':
      return describeTool(request.nodeType, 'execute_tool');
    case 'reading':
      return describeTool(request.tool, 'read_arguments');
  }
}

/** The built-in tools of memory have operations of their own. */
function operationOf(tool: string, namespace: string | undefined): string {
  if (namespace === undefined) return 'execute_tool';
  return tool === MEMORY_SEARCH ? 'search_memory' : 'upsert_memory';
}

function describeTool(name: string, operation: string): SpanStart {
  return {
    name: `${operation} ${name}`,
    kind: 'internal',
    attributes: { [GEN_AI.operation]: operation, [GEN_AI.tool]: name, [GEN_AI.toolType]: 'function' },
  };
}

function attributesOfReply(reply: CallReply): Readonly<Record<string, number | string[]>> {
  if (reply.kind !== 'model') return {};
  const { usage, finishReason } = reply;
  return {
    [GEN_AI.inputTokens]: usage.inputTokens,
    [GEN_AI.outputTokens]: usage.outputTokens,
    [GEN_AI.finishReasons]: [finishReason],
  };
}
