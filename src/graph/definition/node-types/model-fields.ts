import type { JsonSchema } from '../../values/json-schema.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import { handoffToolNames } from './hand-off.ts';
import { isOfferedTool, offeredNames } from './offered-tool.ts';
import type { OfferedTool } from './offered-tool.ts';
import type { FieldProblem } from './node-description.ts';

/** The request to a model: messages, tools and settings. All node types with model calls have these fields. */
export interface ModelFields extends CallFields {
  /**
   * A configured model, or several: each is the fallback of the one before. With `models`, a template that gives one of
   * these, or a list of them.
   */
  readonly model?: string | readonly string[];
  /** The models among which a template as `model` chooses. */
  readonly models?: readonly string[];
  /** A template for the system prompt. */
  readonly system?: string;
  /** A template for the one message that the model is sent. */
  readonly prompt?: string;
  /** A channel of chat messages for the model. Its reply is added there. */
  readonly messages?: string;
  /** The tools that the model may request: names, tools with fixed arguments, memory, or published graphs. */
  readonly tools?: readonly OfferedTool[];
  /** A template that gives the names of those tools that the model may request now; absent: all of them. */
  readonly activeTools?: string;
  /** JSON Schema of the model's answer, which is `result.object` then. */
  readonly output?: JsonSchema;
  /** How the messages are fitted into what the model takes. */
  readonly context?: ContextDefinition;
  /** Handed on to the model. */
  readonly temperature?: number;
  /** The maximum of tokens of one answer. */
  readonly maxOutputTokens?: number;
  /** If the model may, must not or must request a tool, or which one. An agent is free again after its first calls. */
  readonly toolChoice?: ToolChoice;
  /** How long the model thinks before it answers. */
  readonly reasoning?: ReasoningEffort;
  /** Fields of providers, by provider. A model is sent those of its own provider. */
  readonly providerOptions?: ProviderOptions;
}

/** Fits the messages into the context window: the name of a strategy, or processors in order. */
interface ContextDefinition {
  /** The maximum of tokens of one request; what the model takes by default. */
  readonly maxTokens?: number;
  /** "last", "summarize", or message processors in their order. */
  readonly strategy?: string | readonly string[];
}

/** The fields that contain the model's prompt. */
const PROMPT_FIELDS = ['system', 'prompt', 'messages'] as const;

/** The part of a description that all node types with model calls share. */
export const MODEL_FIELDS = {
  templates: ['system', 'prompt', 'tools', 'model', 'activeTools'],
  visible: { memory: ['tools'] },
  carries: { text: PROMPT_FIELDS, object: PROMPT_FIELDS, toolCalls: PROMPT_FIELDS, message: PROMPT_FIELDS },
  uses: { tools: ['tools'], models: ['model', 'models'], messageProcessors: ['context/strategy'] },
  conversations: ['messages'],
  schemas: ['output'],
  exactlyOne: ['prompt', 'messages'],
  findProblems: (fields: JsonObject) => [
    ...findPromptProblems(fields),
    ...findChoiceProblems(fields),
    ...findModelProblems(fields),
  ],
} as const;

function findPromptProblems(fields: JsonObject): readonly FieldProblem[] {
  const given = MODEL_FIELDS.exactlyOne.filter((field) => fields[field] !== undefined);
  if (given.length === 1) return [];
  return given.length === 0
    ? [{ field: null, message: 'This node needs a prompt, or messages (a channel)' }]
    : [{ field: 'messages', message: 'This node takes a prompt or messages, not both' }];
}

/** Finds a tool choice that names a tool which the node does not offer. */
function findChoiceProblems(fields: JsonObject): readonly FieldProblem[] {
  const { toolChoice, handoff } = fields;
  const offered = [...configuredToolsOf(fields), ...handoffToolNames(handoff)];
  if (toolChoice === 'required' && offered.length === 0)
    return [{ field: 'toolChoice', message: 'This needs tools that the model may request' }];
  const tool = isJsonObject(toolChoice) ? toolChoice['tool'] : undefined;
  if (typeof tool !== 'string' || offered.includes(tool)) return [];
  return [{ field: 'toolChoice/tool', message: `"${tool}" is not among the tools of this node` }];
}

/** Returns the names of the tools of a node, without those that hand over. */
export function configuredToolsOf({ tools }: JsonObject): readonly string[] {
  return isJsonList(tools) ? offeredNames(tools.filter(isOfferedTool)) : [];
}

/** Finds a template as model without a list to choose from, and a list without a template. */
function findModelProblems({ model, models, tools, activeTools }: JsonObject): readonly FieldProblem[] {
  const chooses = isChosenModel(model);
  const ofModel =
    chooses && models === undefined
      ? [{ field: 'model', message: 'A template chooses among "models", which this node lacks' }]
      : [];
  const ofModels =
    models !== undefined && !chooses
      ? [{ field: 'models', message: 'Only a template as "model" chooses among models' }]
      : [];
  const ofTools =
    activeTools !== undefined && tools === undefined
      ? [{ field: 'activeTools', message: 'This chooses among "tools", which this node lacks' }]
      : [];
  return [...ofModel, ...ofModels, ...ofTools];
}

/** True for a field `model` that is filled for each call. */
export function isChosenModel(model: Json | undefined): model is string {
  return typeof model === 'string' && model.includes('{{');
}

/** What a model may do with the tools that it is offered; the name of a tool forces calls of that one. */
export type ToolChoice = (typeof TOOL_CHOICES)[number] | { readonly tool: string };
export const TOOL_CHOICES = ['auto', 'none', 'required'] as const;

/** How long a model thinks before it answers. */
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export const REASONING_EFFORTS = ['low', 'medium', 'high'] as const;

/** A kind of value: a short text, or one of some texts. */
export type OptionKind = 'boolean' | 'text' | readonly string[];

type OptionValue<Kind extends OptionKind> = Kind extends 'boolean'
  ? boolean
  : Kind extends 'text'
    ? string
    : Kind extends readonly (infer Text)[]
      ? Text
      : never;

/**
 * The provider fields that a node may set. Any other field could reach stored data of others, servers and code behind
 * the provider, other prices, or tokens beyond the budget of a run.
 */
export const MODEL_OPTIONS = {
  openai: {
    parallelToolCalls: 'boolean',
    textVerbosity: ['low', 'medium', 'high'],
    promptCacheKey: 'text',
    safetyIdentifier: 'text',
  },
  anthropic: { disableParallelToolUse: 'boolean' },
  google: { mediaResolution: ['MEDIA_RESOLUTION_LOW', 'MEDIA_RESOLUTION_MEDIUM', 'MEDIA_RESOLUTION_HIGH'] },
  'openai-compatible': { textVerbosity: ['low', 'medium', 'high'], user: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionKind>>>>;

/** The maximum of characters of a text option. */
export const MAX_OPTION_LENGTH = 64;

type ModelOptions = typeof MODEL_OPTIONS;

/** Options by provider; each model receives only those of its own provider. */
export type ProviderOptions = {
  readonly [Provider in keyof ModelOptions]?: {
    readonly [Name in keyof ModelOptions[Provider]]?: ModelOptions[Provider][Name] extends OptionKind
      ? OptionValue<ModelOptions[Provider][Name]>
      : never;
  };
};
