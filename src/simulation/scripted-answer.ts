import type { OwnReply } from '../activities/models/model.ts';
import type { Json } from '../graph/values/index.ts';

/** An answer of a model as tests write it. */
export interface ScriptedAnswer {
  readonly text?: string | undefined;
  /** Tokens that it claims to have used; budgets count them. */
  readonly usage?: OwnReply['usage'] | undefined;
  readonly finishReason?: OwnReply['finishReason'] | undefined;
  /** A value whose JSON is the text, for nodes with an `output` schema. */
  readonly json?: Json | undefined;
  /** Calls of tools that the model asks for. */
  readonly toolCalls?:
    | readonly { readonly tool: string; readonly args: Json; readonly id?: string | undefined }[]
    | undefined;
  /** The time that the answer takes, such as `5s`. */
  readonly delay?: string | undefined;
}

/** Makes the reply of a model of it. */
export function toReply({ json, text, toolCalls = [], usage, finishReason }: ScriptedAnswer): OwnReply {
  const calls = toolCalls.map(({ tool, args, id }, at) => ({ id: id ?? `call-${at + 1}`, name: tool, args }));
  const said = json === undefined ? text : JSON.stringify(json);
  return {
    text: said ?? '',
    toolCalls: calls,
    finishReason: finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    ...(usage && { usage }),
  };
}
