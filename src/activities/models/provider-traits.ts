import type { SharedV3ProviderOptions as AllOptions } from '@ai-sdk/provider';
import type { ProviderName } from '../model-providers.ts';
import type { AcceptedFiles } from './load-files.ts';

/** The traits in which a provider, or its adapter, differs from others. */
export interface ProviderTraits {
  /** The name under which the adapter reads options. */
  readonly adapterName: string;
  readonly output: OutputTraits;
  /** The adapter accepts system messages only at the beginning. */
  readonly systemFirst: boolean;
  /** Each tool that messages mention must be in the request, even if none may be called. */
  readonly requiresPastTools: boolean;
  /** Fields of each tool besides its name, description and parameters. */
  readonly toolFields: { readonly strict?: boolean };
  /** Fields of every request, in the adapter's own words. @param isStrict true for output in OpenAI's strict mode, which accepts few schemas */
  readonly options: (isStrict: boolean) => AllOptions[string];
  readonly reasoning: ReasoningTraits;
  readonly answeredFiles: AcceptedFiles;
  /** The adapter maps a refusal to a content filter, without a raw reason. */
  readonly refusalIsFiltered: boolean;
}

/** The abilities of the provider's JSON mode. */
interface OutputTraits {
  /** It works in requests with tools. */
  readonly withTools: boolean;
  /** It takes every schema unchanged, also open objects and references. */
  readonly anySchema: boolean;
}

/** The parts of an answer that later requests repeat. */
interface ReasoningTraits {
  /** The name under which the adapter reads the parts' metadata; `null`: the name under which it writes them. */
  readonly metadataName: string | null;
  /** Plain reasoning is sent back with tool calls, not only signed or encrypted reasoning. */
  readonly isRepeatedWithCalls: boolean;
}

const OPAQUE_REASONING: ReasoningTraits = { metadataName: null, isRepeatedWithCalls: false };

const COMMON_FILES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'];
const ALL_FILES: AcceptedFiles = { mediaTypes: new Set([...COMMON_FILES, 'image/gif']), maxImageBytes: Infinity };
/** Anthropic refuses pictures of more than 5 MiB in Base64, which is a third larger than the bytes. */
const CLAUDE_IMAGE_BYTES = 3_932_160;

const LIMITED_OUTPUT: OutputTraits = { withTools: false, anySchema: false };

export const PROVIDER_TRAITS: Readonly<Record<ProviderName, ProviderTraits>> = {
  openai: {
    adapterName: 'openai',
    output: { withTools: true, anySchema: true },
    systemFirst: false,
    requiresPastTools: false,
    // The adapter would make optional properties required.
    toolFields: { strict: false },
    // OpenAI stores nothing: a run may outlive stored reasoning, so reasoning is sent with the messages.
    options: (strictJsonSchema) => ({ store: false, strictJsonSchema }),
    reasoning: OPAQUE_REASONING,
    answeredFiles: ALL_FILES,
    refusalIsFiltered: true,
  },
  'openai-compatible': {
    adapterName: 'openaiCompatible',
    // Many servers support tools or a JSON mode, not both in one request.
    output: { withTools: false, anySchema: true },
    systemFirst: false,
    requiresPastTools: false,
    toolFields: {},
    options: (strictJsonSchema) => ({ strictJsonSchema }),
    // At an address of this kind, only Google's models send metadata.
    reasoning: { metadataName: 'google', isRepeatedWithCalls: true },
    answeredFiles: ALL_FILES,
    refusalIsFiltered: false,
  },
  anthropic: {
    adapterName: 'anthropic',
    // For models without a JSON mode the adapter forces a tool call, so they can choose no other tool.
    output: LIMITED_OUTPUT,
    systemFirst: true,
    requiresPastTools: true,
    toolFields: {},
    options: () => ({}),
    reasoning: OPAQUE_REASONING,
    answeredFiles: { ...ALL_FILES, maxImageBytes: CLAUDE_IMAGE_BYTES },
    refusalIsFiltered: false,
  },
  google: {
    adapterName: 'google',
    // Models before Gemini 3 refuse a JSON mode with tools.
    output: LIMITED_OUTPUT,
    systemFirst: true,
    requiresPastTools: false,
    toolFields: {},
    options: () => ({}),
    reasoning: OPAQUE_REASONING,
    answeredFiles: { ...ALL_FILES, mediaTypes: new Set(COMMON_FILES) },
    refusalIsFiltered: false,
  },
};
