import type { JsonSchema } from '../../values/json-schema.ts';
import type { JsonObject } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { OfferedTool } from '../offered-tool.ts';
import type { FieldProblem } from './node-description.ts';

/** The request to a model: messages, tools and settings. All node types with model calls have these fields. */
export interface ModelFields extends CallFields {
  /** A configured model, or several: each is the fallback of the one before. */
  readonly model?: string | readonly string[];
  /** A template for the system prompt. */
  readonly system?: string;
  /** A template for the one message that the model is sent. */
  readonly prompt?: string;
  /** A channel of chat messages for the model. Its reply is added there. */
  readonly messages?: string;
  /** The tools that the model may request: names, or memory. */
  readonly tools?: readonly OfferedTool[];
  /** JSON Schema of the model's answer, which is `result.object` then. */
  readonly output?: JsonSchema;
  /** How the messages are fitted into what the model takes. */
  readonly context?: ContextDefinition;
  /** Handed on to the model. */
  readonly temperature?: number;
  /** The maximum of tokens of one answer. */
  readonly maxOutputTokens?: number;
}

/** Fits the messages into the context window: the name of a strategy, or processors in order. */
interface ContextDefinition {
  /** The maximum of tokens of one request; what the model takes by default. */
  readonly maxTokens?: number;
  /** "last", "summarize", or message processors in their order. */
  readonly strategy?: string | readonly string[];
}

/** The fields that a model answers to. */
const ASKED = ['system', 'prompt', 'messages'] as const;

/** The part of a description that all node types with model calls share. */
export const MODEL_FIELDS = {
  templates: ['system', 'prompt', 'tools'],
  carries: { text: ASKED, object: ASKED, toolCalls: ASKED, message: ASKED },
  uses: { tools: ['tools'], models: ['model'], messageProcessors: ['context/strategy'] },
  conversations: ['messages'],
  schemas: ['output'],
  exactlyOne: ['prompt', 'messages'],
  findProblems: findPromptProblems,
} as const;

function findPromptProblems(fields: JsonObject): readonly FieldProblem[] {
  const given = MODEL_FIELDS.exactlyOne.filter((field) => fields[field] !== undefined);
  if (given.length === 1) return [];
  return given.length === 0
    ? [{ field: null, message: 'This node needs a prompt, or messages (a channel)' }]
    : [{ field: 'messages', message: 'This node takes a prompt or messages, not both' }];
}
