import type { OwnReply } from '../activities/models/model.ts';
import type { Json } from '../graph/values/index.ts';

/** A model's answer as tests write it. */
export interface ScriptedAnswer {
  readonly text?: string | undefined;
  /** The token usage of the answer; budgets count it. */
  readonly usage?: OwnReply['usage'] | undefined;
  readonly finishReason?: OwnReply['finishReason'] | undefined;
  /** A value whose JSON is the text, for nodes with an `output` schema. */
  readonly json?: Json | undefined;
  /** Tool calls that the model requests. */
  readonly toolCalls?:
    | readonly { readonly tool: string; readonly args: Json; readonly id?: string | undefined }[]
    | undefined;
  /** The duration of the call, such as `5s`. */
  readonly delay?: string | undefined;
}

/** Makes the reply of a model from a scripted answer. */
export function toOwnReply({ json, text, toolCalls = [], usage, finishReason }: ScriptedAnswer): OwnReply {
  const calls = toolCalls.map(({ tool, args, id }, index) => ({ id: id ?? `call-${index + 1}`, name: tool, args }));
  const answer = json === undefined ? text : JSON.stringify(json);
  return {
    text: answer ?? '',
    toolCalls: calls,
    finishReason: finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    ...(usage && { usage }),
  };
}
