import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { json } from '../doubles/loopback-server.ts';
import type { Answer, ReceivedRequest, LoopbackServer } from '../doubles/loopback-server.ts';
import { at, listAt, textAt } from '../readers/json-at.ts';

/* Answers of a model by OpenAI's chat protocol, and readers of its requests. A `LoopbackServer` is the model. */

interface Used {
  readonly input?: number;
  readonly output?: number;
}

/** Builds a reply with tool calls, each given as name and arguments. Their ids are `call-0`, `call-1`, … */
export function askFor(calls: readonly (readonly [name: string, args: Json])[], used: Used = {}): Answer {
  const tool_calls = calls.map(([name, args], index) => ({
    id: `call-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return completion({ content: null, tool_calls }, 'tool_calls', used);
}

export function say(text: string, used: Used = {}): Answer {
  return completion({ content: text }, 'stop', used);
}

function completion(
  message: { readonly [name: string]: Json },
  reason: string,
  { input = 100, output = 10 }: Used,
): Answer {
  return json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
}

/** Returns the bodies of the requests to a model. */
export function requestsOf({ requests }: LoopbackServer): Json[] {
  return requests.map(({ body }: ReceivedRequest) => toJson(JSON.parse(body)));
}

/** Returns the tool results in one request to a model, by default the last. */
export function toolResultsSentTo(model: LoopbackServer, which = -1): string[] {
  const request = requestsOf(model).at(which) ?? null;
  const messages = listAt(request, '/messages').filter((message) => at(message, '/role') === 'tool');
  return messages.map((message) => textAt(message, '/content'));
}

/** Returns the names of the tools in each request to a model. */
export function toolsOfferedTo(model: LoopbackServer): string[][] {
  return requestsOf(model).map((request) => {
    const tools = at(request, '/tools') === undefined ? [] : listAt(request, '/tools');
    return tools.map((tool) => textAt(tool, '/function/name'));
  });
}
