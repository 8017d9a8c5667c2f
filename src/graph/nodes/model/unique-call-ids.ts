import type { ModelReply } from '../../effect.ts';
import { toolCallsOf } from '../../message.ts';
import type { NewMessage, ToolCall } from '../../message.ts';

/**
 * Providers give calls ids that may be empty, or have been there before; an answer must name one call only. A reply whose
 * ids had to change is no longer what the provider knows, so its own parts go.
 */
export function withUniqueIds(reply: ModelReply, before: readonly NewMessage[]): ModelReply {
  const used = new Set(before.flatMap(toolCallsOf).map(({ id }) => id));
  const toolCalls = reply.toolCalls.map((call) => withUniqueId(call, used));
  if (toolCalls.every((call, at) => call === reply.toolCalls[at])) return reply;
  const { providerParts: _gone, ...rest } = reply;
  return { ...rest, toolCalls };
}

function withUniqueId(call: ToolCall, used: Set<string>): ToolCall {
  const wanted = call.id === '' ? 'call' : call.id;
  let id = wanted;
  for (let number = 2; used.has(id); number++) id = `${wanted}-${number}`;
  used.add(id);
  return id === call.id ? call : { ...call, id };
}
