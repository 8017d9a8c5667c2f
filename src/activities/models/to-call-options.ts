import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { toolCallsOf } from '../../graph/definition/index.ts';
import type { LoadedRequest } from './load-files.ts';
import type { ModelRequest, ModelSettings, ToolOffer } from './model.ts';
import { chooseOutputMode } from './output-mode.ts';
import type { OutputMode } from './output-mode.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import type { ProviderTraits } from './provider-traits.ts';
import { toPrompt } from './to-prompt.ts';
import { toProviderOptions } from './to-provider-options.ts';
import type { ToolNames } from './tool-names.ts';
import { toToolSchema } from './tool-schema.ts';

type CallOptions = Omit<LanguageModelV3CallOptions, 'abortSignal' | 'includeRawChunks'>;
type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number];

/** Converts a request for the AI SDK's adapters. */
export function toCallOptions(request: LoadedRequest, settings: ModelSettings, toolNames: ToolNames): CallOptions {
  const { output, messages, files, temperature } = request;
  const tools = toTools(request, settings, toolNames);
  const mode = output === null ? null : chooseOutputMode(settings.provider, { output, tools: tools.tools ?? [] });
  return {
    prompt: toPrompt({ system: toSystem(request.system, mode), messages }, { settings, toolNames, files }),
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

function toSystem(system: string | null, mode: OutputMode | null): string | null {
  if (mode?.kind !== 'words') return system;
  return system === null || system === '' ? mode.text : `${system}\n\n${mode.text}`;
}

function toTools(
  { tools, toolChoice, messages }: ModelRequest,
  { provider }: ModelSettings,
  toolNames: ToolNames,
): Pick<CallOptions, 'tools' | 'toolChoice'> {
  const traits = PROVIDER_TRAITS[provider];
  if (tools.length > 0)
    return {
      tools: tools.map((tool) => toTool(tool, traits, toolNames)),
      ...(toolChoice && { toolChoice: toChoice(toolChoice, toolNames) }),
    };
  const called = [...new Set(messages.flatMap(toolCallsOf).map(({ name }) => name))];
  if (!traits.requiresPastTools || called.length === 0) return {};
  const known = called.map((name) => ({ name, description: '', parameters: true }));
  return { tools: known.map((tool) => toTool(tool, traits, toolNames)), toolChoice: { type: 'none' } };
}

function toChoice(
  choice: NonNullable<ModelRequest['toolChoice']>,
  names: ToolNames,
): NonNullable<CallOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: names.toProvider(choice.tool) } : { type: choice };
}

function toTool({ name, description, parameters }: ToolOffer, { toolFields }: ProviderTraits, names: ToolNames): Tool {
  const { schema, note } = toToolSchema(parameters);
  return {
    type: 'function',
    name: names.toProvider(name),
    description: [description, note].filter((text) => text !== '').join('\n'),
    inputSchema: schema,
    ...toolFields,
  };
}
