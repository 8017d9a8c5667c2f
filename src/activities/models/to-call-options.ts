import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { toolCallsOf } from '../../graph/definition/index.ts';
import type { ModelRequest, ModelSettings, ToolOffer } from './model.ts';
import { chooseOutputMode } from './output-mode.ts';
import type { OutputMode } from './output-mode.ts';
import { toPrompt } from './to-prompt.ts';
import type { ToolNames } from './tool-names.ts';
import { toToolSchema } from './tool-schema.ts';

type CallOptions = Omit<LanguageModelV3CallOptions, 'abortSignal' | 'includeRawChunks'>;
type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number];

/** Converts a request for the AI SDK's adapters. */
export function toCallOptions(request: ModelRequest, settings: ModelSettings, toolNames: ToolNames): CallOptions {
  const { output, messages, temperature, maxOutputTokens } = request;
  const tools = toTools(request, settings, toolNames);
  const mode = output === null ? null : chooseOutputMode(settings.provider, { output, tools: tools.tools ?? [] });
  return {
    prompt: toPrompt({ system: toSystem(request.system, mode), messages }, { settings, toolNames }),
    ...(temperature !== null && { temperature }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(mode?.kind === 'native' && { responseFormat: { type: 'json' as const, schema: mode.schema } }),
    ...tools,
    providerOptions: PROVIDER_OPTIONS[settings.provider](mode?.kind === 'native' && mode.isStrict),
  };
}

function toSystem(system: string | null, mode: OutputMode | null): string | null {
  if (mode?.kind !== 'words') return system;
  return system === null || system === '' ? mode.text : `${system}\n\n${mode.text}`;
}

/**
 * OpenAI's strict mode accepts few schemas, so it is set per request. OpenAI stores nothing: a run may outlive stored
 * reasoning, so reasoning is sent with the messages.
 */
const PROVIDER_OPTIONS: Readonly<Record<ModelSettings['provider'], (isStrict: boolean) => SharedV3ProviderOptions>> = {
  openai: (strictJsonSchema) => ({ openai: { store: false, strictJsonSchema } }),
  'openai-compatible': (strictJsonSchema) => ({ openaiCompatible: { strictJsonSchema } }),
  anthropic: () => ({}),
  google: () => ({}),
};

function toTools(
  { tools, messages }: ModelRequest,
  { provider }: ModelSettings,
  toolNames: ToolNames,
): Pick<CallOptions, 'tools' | 'toolChoice'> {
  if (tools.length > 0) return { tools: tools.map((tool) => toTool(tool, provider, toolNames)) };
  const called = [...new Set(messages.flatMap(toolCallsOf).map(({ name }) => name))];
  if (provider !== 'anthropic' || called.length === 0) return {};
  // Anthropic requires all tools that messages mention, even if none may be called.
  const known = called.map((name) => ({ name, description: '', parameters: true }));
  return { tools: known.map((tool) => toTool(tool, provider, toolNames)), toolChoice: { type: 'none' } };
}

function toTool(
  { name, description, parameters }: ToolOffer,
  provider: ModelSettings['provider'],
  names: ToolNames,
): Tool {
  const { schema, note } = toToolSchema(parameters);
  return {
    type: 'function',
    name: names.toProvider(name),
    description: [description, note].filter((text) => text !== '').join('\n'),
    inputSchema: schema,
    // OpenAI's adapter would make optional properties required.
    ...(provider === 'openai' && { strict: false }),
  };
}
