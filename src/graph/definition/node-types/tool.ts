import type { Json, JsonObject } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { Execution } from '../execution.ts';
import type { OfferedTool } from './offered-tool.ts';
import type { FieldProblem, DescriptionOf } from './node-description.ts';

export type ToolFields = OneCallFields | CallsFields;

interface OneCallFields extends CallFields {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments: templates, at any depth. */
  readonly args?: Json;
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  /** The call that compensates this node's call when the run fails or is canceled. */
  readonly compensate?: { readonly tool: string; readonly args?: Json };
  readonly calls?: never;
  readonly tools?: never;
}

interface CallsFields extends CallFields {
  /** A channel of messages. The node makes the unanswered tool calls of its last assistant message. */
  readonly calls: string;
  /** With `calls`: the tools that it may call. Absent: those of the `llm` node that alone writes the channel. */
  readonly tools?: readonly OfferedTool[];
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  readonly tool?: never;
  readonly args?: never;
  readonly compensate?: never;
}

export const tool: DescriptionOf<ToolFields> = {
  summary: 'Calls a tool, whose answer is its result; or makes the tool calls that a message asks for.',
  templates: ['args', 'tools'],
  resultTemplates: ['compensate/args'],
  shown: { args: ['args', 'compensate/args'], memory: ['tools'] },
  uses: { tools: ['tool', 'compensate/tool', 'tools'] },
  conversations: ['calls'],
  calls: { tools: ['tool', 'tools'] },
  givesArgs: [
    { tool: 'tool', args: 'args' },
    { tool: 'compensate/tool', args: 'compensate/args' },
  ],
  makesCalls: { channel: 'calls', tools: 'tools' },
  exactlyOne: ['tool', 'calls'],
  findProblems: findToolProblems,
  look: {
    outline: 'leaningRight',
    fill: 'F3E8FA',
    subject: ['tool'],
    notes: [{ label: 'compensated by', field: 'compensate/tool' }],
  },
};

/** Fields of a single call. A node that takes its calls from a message cannot have them. */
const OF_ONE_CALL = ['tool', 'args', 'compensate'];

function findToolProblems(fields: JsonObject): readonly FieldProblem[] {
  if (fields['calls'] === undefined) {
    if (fields['tool'] === undefined)
      return [{ field: null, message: 'A tool node needs a tool, or calls (a channel of messages)' }];
    return fields['tools'] === undefined
      ? []
      : [{ field: 'tools', message: 'Only a tool node with calls takes tools' }];
  }
  return OF_ONE_CALL.filter((field) => fields[field] !== undefined).map((field) => ({
    field,
    message: `A tool node takes calls or ${field}, not both`,
  }));
}
