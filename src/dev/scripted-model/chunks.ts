import type { JsonObject } from '../../graph/values/index.ts';
import type { Completion } from './completion.ts';

/** Writes a completion as the server-sent events of a streamed one, a word each. */
export function toChunks({ choices, usage, ...completion }: Completion): string {
  const chunks = choices.flatMap(({ index, message, logprobs, finish_reason }): readonly JsonObject[] => {
    const { content, tool_calls = [], ...begun } = message;
    const deltas: readonly JsonObject[] = [
      { ...begun, content: '' },
      ...wordsOf(content ?? '').map((word) => ({ content: word })),
      ...tool_calls.map((call, at) => ({ tool_calls: [{ index: at, ...call }] })),
    ];
    const toChoice = (delta: JsonObject): JsonObject => ({ index, delta, logprobs, finish_reason: null });
    return [...deltas.map(toChoice), { index, delta: {}, logprobs, finish_reason }];
  });
  const common = { ...completion, object: 'chat.completion.chunk' };
  const events = [...chunks.map((choice) => ({ ...common, choices: [choice] })), { ...common, choices: [], usage }];
  return [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
