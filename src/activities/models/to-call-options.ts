import type { LanguageModelV3CallOptions, JSONSchema7, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message, ReasoningEffort } from '../../graph/definition/index.ts';
import { toPrompt } from './to-prompt.ts';
import type { LoadedRequest } from './load-files.ts';
import type { ModelRequest, ModelSettings, ToolOffer } from './model.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import type { ProviderTraits } from './provider-traits.ts';
import type { ToolNames } from './tool-names.ts';
import { toToolSchema, isPlainSchema, isStrictSchema } from './plain-schema.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import type { ProviderName } from '../model-providers.ts';

type CallOptions = Omit<LanguageModelV3CallOptions, 'abortSignal' | 'includeRawChunks'>;
type OfferedSdkTool = NonNullable<LanguageModelV3CallOptions['tools']>[number];

/** Converts a request for the AI SDK's adapters. */
export function toCallOptions(request: LoadedRequest, settings: ModelSettings, toolNames: ToolNames): CallOptions {
  const { output, messages, files, temperature } = request;
  const tools = toToolOptions(request, settings, toolNames);
  const mode = output === null ? null : chooseOutputMode(settings.provider, output, (tools.tools ?? []).length > 0);
  return {
    prompt: toPrompt({ system: toSystemPrompt(request.system, mode), messages }, { settings, toolNames, files }),
    ...(temperature !== null && { temperature }),
    ...(mode?.kind === 'native' && { responseFormat: { type: 'json' as const, schema: mode.schema } }),
    ...tools,
    ...toProviderOptions(
      request,
      settings,
      PROVIDER_TRAITS[settings.provider].options(mode?.kind === 'native' && mode.isStrict),
    ),
  };
}

function toSystemPrompt(system: string | null, mode: OutputMode | null): string | null {
  if (mode?.kind !== 'words') return system;
  return system === null || system === '' ? mode.text : `${system}\n\n${mode.text}`;
}

function toToolOptions(
  { tools, toolChoice, messages }: ModelRequest,
  { provider }: ModelSettings,
  toolNames: ToolNames,
): Pick<CallOptions, 'tools' | 'toolChoice'> {
  const traits = PROVIDER_TRAITS[provider];
  if (tools.length > 0)
    return {
      tools: tools.map((tool) => toSdkTool(tool, traits, toolNames)),
      ...(toolChoice && { toolChoice: toToolChoice(toolChoice, toolNames) }),
    };
  const called = [...new Set(messages.flatMap(toolCallsOf).map(({ name }) => name))];
  if (!traits.requiresPastTools || called.length === 0) return {};
  const known = called.map((name) => ({ name, description: '', parameters: true }));
  return { tools: known.map((tool) => toSdkTool(tool, traits, toolNames)), toolChoice: { type: 'none' } };
}

function toToolChoice(
  choice: NonNullable<ModelRequest['toolChoice']>,
  names: ToolNames,
): NonNullable<CallOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: names.toProvider(choice.tool) } : { type: choice };
}

function toSdkTool(
  { name, description, parameters }: ToolOffer,
  { toolFields }: ProviderTraits,
  names: ToolNames,
): OfferedSdkTool {
  const { schema, note } = toToolSchema(parameters);
  return {
    type: 'function',
    name: names.toProvider(name),
    description: [description, note].filter((text) => text !== '').join('\n'),
    inputSchema: schema,
    ...toolFields,
  };
}

/** The way to request structured output: the provider's JSON mode, or an instruction in the prompt. */
export type OutputMode =
  | { readonly kind: 'native'; readonly schema: JSONSchema7; readonly isStrict: boolean }
  | { readonly kind: 'words'; readonly text: string };

/** Chooses the mode for a request with an output schema. The answer is checked in either mode. */
function chooseOutputMode(
  provider: ProviderName,
  output: NonNullable<ModelRequest['output']>,
  hasTools: boolean,
): OutputMode {
  const { withTools, anySchema } = PROVIDER_TRAITS[provider].output;
  const isNative =
    isJsonObject(output) &&
    output['type'] === 'object' &&
    (withTools || !hasTools) &&
    (anySchema || isPlainSchema(output));
  if (isNative)
    return { kind: 'native', schema: { ...output }, isStrict: isPlainSchema(output) && isStrictSchema(output) };
  const when = hasTools ? 'When you have what you need and call no more tools, answer' : 'Answer';
  return {
    kind: 'words',
    text: `${when} with JSON only, no other text around it, that fits this JSON Schema:\n${JSON.stringify(output)}`,
  };
}

type ProviderFields = SharedV3ProviderOptions[string];
type ReasoningOptions = Pick<LanguageModelV3CallOptions, 'maxOutputTokens'> & { readonly fields: ProviderFields };

/**
 * Adds a node's options for the model's provider to the fields of each request. Reasoning is omitted where the model,
 * or this request, does not support it.
 */
function toProviderOptions(
  request: ModelRequest,
  { provider, model }: ModelSettings,
  always: ProviderFields,
): Pick<LanguageModelV3CallOptions, 'maxOutputTokens' | 'providerOptions'> {
  const { reasoning, providerOptions = {}, maxOutputTokens } = request;
  const reasoned = reasoning && REASONING_OPTIONS[provider]({ model, effort: reasoning, request });
  const most = reasoned?.maxOutputTokens ?? maxOutputTokens;
  const fields = { ...providerOptions[provider], ...reasoned?.fields, ...always };
  return {
    ...(most !== null && { maxOutputTokens: most }),
    providerOptions: Object.keys(fields).length > 0 ? { [PROVIDER_TRAITS[provider].adapterName]: fields } : {},
  };
}

interface ThinkingRequest {
  readonly model: string;
  readonly effort: ReasoningEffort;
  readonly request: ModelRequest;
}

/** The reasoning options of each provider; `null` if this request has none. */
const REASONING_OPTIONS: Readonly<Record<ProviderName, (thinking: ThinkingRequest) => ReasoningOptions | null>> = {
  // The adapter omits it for models that do not reason.
  openai: ({ effort }) => ({ fields: { reasoningEffort: effort } }),
  'openai-compatible': ({ effort }) => ({ fields: { reasoningEffort: effort } }),
  anthropic: claudeReasoning,
  google: geminiReasoning,
};

/** Claude models with a thinking budget; newer ones take an effort level. */
const CLAUDE_BY_BUDGET = /^claude-(?:3-7-|(?:opus|sonnet)-4-(?:[01]\b|20)|(?:sonnet|haiku)-4-5\b)/;
/** Claude models without thinking. */
const CLAUDE_WITHOUT = /^claude-(?:2|instant|3-[05]|3-(?:opus|sonnet|haiku))/;
const CLAUDE_TOKENS: Readonly<Record<ReasoningEffort, number>> = { low: 1_024, medium: 4_096, high: 16_384 };
/** The minimum thinking budget of Claude. */
const LEAST_TOKENS = 1_024;

/** Claude does not think when it is forced to call a tool, nor within a chain of calls that began without thinking. */
function claudeReasoning({ model, effort, request }: ThinkingRequest): ReasoningOptions | null {
  if (CLAUDE_WITHOUT.test(model)) return null;
  const { toolChoice, messages, maxOutputTokens } = request;
  const isForced = toolChoice !== undefined && toolChoice !== 'none';
  if (!CLAUDE_BY_BUDGET.test(model))
    return { fields: { effort, ...(!isForced && { thinking: { type: 'adaptive' } }) } };
  const budgetTokens = capReasoningTokens(CLAUDE_TOKENS[effort], maxOutputTokens);
  if (isForced || beganWithoutThought(messages) || budgetTokens < LEAST_TOKENS) return null;
  const fields = { thinking: { type: 'enabled', budgetTokens } };
  // The adapter adds the thinking budget to the answer's tokens; the request's limit covers both.
  return maxOutputTokens === null ? { fields } : { fields, maxOutputTokens: maxOutputTokens - budgetTokens };
}

/** True if the model continues after answers to calls that it made without thinking. */
function beganWithoutThought(messages: readonly Message[]): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  return messages.findLast(({ role }) => role === 'assistant')?.['providerParts'] === undefined;
}

const GEMINI_BY_BUDGET = /^gemini-2\.5-/;
const GEMINI_BY_LEVEL = /^gemini-(?:[3-9]|\d\d)/;
const GEMINI_TOKENS: Readonly<Record<ReasoningEffort, number>> = { low: 1_024, medium: 8_192, high: 24_576 };

function geminiReasoning({ model, effort, request }: ThinkingRequest): ReasoningOptions | null {
  if (GEMINI_BY_LEVEL.test(model)) return { fields: { thinkingConfig: { thinkingLevel: effort } } };
  if (!GEMINI_BY_BUDGET.test(model)) return null;
  return {
    fields: { thinkingConfig: { thinkingBudget: capReasoningTokens(GEMINI_TOKENS[effort], request.maxOutputTokens) } },
  };
}

/** Reserves half of the tokens for the answer. */
function capReasoningTokens(tokens: number, maxOutputTokens: number | null): number {
  return maxOutputTokens === null ? tokens : Math.min(tokens, Math.floor(maxOutputTokens / 2));
}
