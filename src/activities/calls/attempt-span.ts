import { MEMORY_SEARCH, toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import type { CallReply, CallRequest, ModelReply } from '../../graph/run/index.ts';
import { inCallSpan } from '../../telemetry/traces/in-span.ts';
import type { SpanStart } from '../../telemetry/traces/in-span.ts';
import { GEN_AI, GENERAL, HOLDFAST } from '../../telemetry/traces/names.ts';
import { CallError } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import { isJsonObject, truncate } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

interface TracedAttempt {
  readonly task: CallTask;
  /** 1 for the first. Attempts that were lost with their worker do not count. */
  readonly attempt: number;
  /** True if the configuration allows contents in spans. */
  readonly showsContents: boolean;
}

/** Makes an attempt of a call in its own span, if the run is traced. */
export async function inAttemptSpan(
  { task, attempt, ...settings }: TracedAttempt,
  make: () => Promise<CallReply>,
): Promise<CallReply> {
  const { trace, runId, tenantId, key } = task;
  const traced = trace ? { runId, tenantId, run: trace, segment: trace.segment, key } : null;
  const showsContents = settings.showsContents && trace?.isRedacted !== true;
  const start = (): SpanStart => describeAttempt(task, attempt, showsContents);
  return await inCallSpan(traced, start, {
    failureOf: (error) => (error instanceof CallError ? error.code : 'INTERNAL'),
    async work(span) {
      const reply = await make();
      span?.setAttributes({ ...attributesOfReply(reply), ...(showsContents && replyContents(reply)) });
      return reply;
    },
  });
}

function describeAttempt(
  { request, trace, runId, tenantId, node, visit, index, key }: CallTask,
  attempt: number,
  showsContents: boolean,
): SpanStart {
  const { attributes, ...described } = requestSpan(request);
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
      ...(showsContents && requestContents(request)),
    },
  };
}

/** The name and attributes of a call's span that are known before the call. */
function requestSpan(request: CallRequest): SpanStart {
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
      return toolSpan(request.tool, toolOperation(request.tool, request.memory));
    case 'function':
      return toolSpan(request.function, 'execute_tool');
    case 'node':
      return toolSpan(request.nodeType, 'execute_tool');
    case 'reading':
      return toolSpan(request.tool, 'read_arguments');
  }
}

/** The built-in tools of memory have their own operation names. */
function toolOperation(tool: string, namespace: string | undefined): string {
  if (namespace === undefined) return 'execute_tool';
  return tool === MEMORY_SEARCH ? 'search_memory' : 'upsert_memory';
}

function toolSpan(name: string, operation: string): SpanStart {
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

/** In characters. Longer content is truncated, so it may be invalid JSON. */
const MAX_CONTENT = 16_000;

type SpanContents = Readonly<Record<string, string>>;

/** The contents of a request as attributes of its span (OpenTelemetry, GenAI, opt-in). Files are left out. */
function requestContents(request: CallRequest): SpanContents {
  if (request.kind === 'node') return { [GEN_AI.toolArguments]: toSpanContent(request.config) };
  if (request.kind !== 'model') return { [GEN_AI.toolArguments]: toSpanContent(request.args) };
  const { system, messages } = request;
  return {
    ...(system !== null && { [GEN_AI.instructions]: toSpanContent([textPart(system)]) }),
    [GEN_AI.inputMessages]: toSpanContent(messages.map(toInputMessage)),
  };
}

/** The contents of a reply as attributes of the span of its call. */
function replyContents(reply: CallReply): SpanContents {
  if (reply.kind === 'overflow') return {};
  if (reply.kind === 'value') return { [GEN_AI.toolResult]: toSpanContent(reply.value) };
  return { [GEN_AI.outputMessages]: toSpanContent([toOutputMessage(reply)]) };
}

function toSpanContent(value: Json): string {
  return truncate(JSON.stringify(value), MAX_CONTENT);
}

const textPart = (content: string): Json => ({ type: 'text', content });

function toolCallPart({ id, name, args }: ModelReply['toolCalls'][number]): Json {
  return { type: 'tool_call', id, name, arguments: args };
}

function toInputMessage(message: Message): Json {
  const { role } = message;
  const texts = messageTexts(message);
  const id = message['toolCallId'];
  if (typeof id === 'string') return { role, parts: [{ type: 'tool_call_response', id, response: texts.join('\n') }] };
  return { role, parts: [...texts.map(textPart), ...toolCallsOf(message).map(toolCallPart)] };
}

function messageTexts({ content }: Message): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return content.flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
}

function toOutputMessage({ text, toolCalls, finishReason }: ModelReply): Json {
  const parts = [...(text === '' ? [] : [textPart(text)]), ...toolCalls.map(toolCallPart)];
  return { role: 'assistant', parts, finish_reason: finishReason };
}
