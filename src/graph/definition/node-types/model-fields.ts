import type { JsonSchema } from '../../values/json-schema.ts';
import type { JsonObject } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { FieldProblem } from './node-description.ts';

/** The request to a model: messages, tools and settings. All node types with model calls have these fields. */
export interface ModelFields extends CallFields {
  readonly model?: string | readonly string[];
  readonly system?: string;
  readonly prompt?: string;
  readonly messages?: string;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
  readonly output?: JsonSchema;
  readonly context?: ContextDefinition;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
}

/** Fits the messages into the context window: the name of a strategy, or processors in order. */
interface ContextDefinition {
  readonly maxTokens?: number;
  readonly strategy?: string | readonly string[];
}

/** The fields that a model answers to. */
const ASKED = ['system', 'prompt', 'messages'] as const;

/** The part of a description that all node types with model calls share. */
export const MODEL_FIELDS = {
  templates: ['system', 'prompt'],
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
