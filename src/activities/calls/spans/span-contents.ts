import { toolCallsOf } from '../../../graph/definition/index.ts';
import type { Message } from '../../../graph/definition/index.ts';
import type { CallReply, CallRequest, ModelReply } from '../../../graph/run/index.ts';
import { isJsonObject, truncate } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { GEN_AI } from '../../../telemetry/traces/names.ts';

/** In characters. The rest of a longer content is cut off, so it may be no JSON any more. */
const MAX_CONTENT = 16_000;

type Contents = Readonly<Record<string, string>>;

/** What a request holds, as attributes of its span (OpenTelemetry, GenAI, opt-in). Files are left out. */
export function requestContents(request: CallRequest): Contents {
  if (request.kind === 'node') return { [GEN_AI.toolArguments]: toContent(request.config) };
  if (request.kind !== 'model') return { [GEN_AI.toolArguments]: toContent(request.args) };
  const { system, messages } = request;
  return {
    ...(system !== null && { [GEN_AI.instructions]: toContent([textPart(system)]) }),
    [GEN_AI.inputMessages]: toContent(messages.map(toInputMessage)),
  };
}

/** What a reply holds, as attributes of the span of its call. */
export function replyContents(reply: CallReply): Contents {
  if (reply.kind === 'overflow') return {};
  if (reply.kind === 'value') return { [GEN_AI.toolResult]: toContent(reply.value) };
  return { [GEN_AI.outputMessages]: toContent([toOutputMessage(reply)]) };
}

function toContent(value: Json): string {
  return truncate(JSON.stringify(value), MAX_CONTENT);
}

const textPart = (content: string): Json => ({ type: 'text', content });

function toolCallPart({ id, name, args }: ModelReply['toolCalls'][number]): Json {
  return { type: 'tool_call', id, name, arguments: args };
}

function toInputMessage(message: Message): Json {
  const { role } = message;
  const texts = textsOf(message);
  const id = message['toolCallId'];
  if (typeof id === 'string') return { role, parts: [{ type: 'tool_call_response', id, response: texts.join('\n') }] };
  return { role, parts: [...texts.map(textPart), ...toolCallsOf(message).map(toolCallPart)] };
}

function textsOf({ content }: Message): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return content.flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
}

function toOutputMessage({ text, toolCalls, finishReason }: ModelReply): Json {
  const parts = [...(text === '' ? [] : [textPart(text)]), ...toolCalls.map(toolCallPart)];
  return { role: 'assistant', parts, finish_reason: finishReason };
}
