/** What a model may do with the tools that it is offered; the name of a tool forces calls of that one. */
export type ToolChoice = (typeof TOOL_CHOICES)[number] | { readonly tool: string };
export const TOOL_CHOICES = ['auto', 'none', 'required'] as const;

/** How long a model thinks before it answers. */
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export const REASONING_EFFORTS = ['low', 'medium', 'high'] as const;

/** A kind of value: a short text, or one of some texts. */
export type OptionKind = 'boolean' | 'text' | readonly string[];

type ValueOf<Kind extends OptionKind> = Kind extends 'boolean'
  ? boolean
  : Kind extends 'text'
    ? string
    : Kind extends readonly (infer Text)[]
      ? Text
      : never;

/**
 * The fields of providers that a node may set. All others could reach what others have stored, servers and code behind
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

/** The characters of an option that is a text. */
export const MAX_OPTION_LENGTH = 64;

type Options = typeof MODEL_OPTIONS;

/** Options by provider; a model is sent those of its own provider. */
export type ProviderOptions = {
  readonly [Provider in keyof Options]?: {
    readonly [Name in keyof Options[Provider]]?: Options[Provider][Name] extends OptionKind
      ? ValueOf<Options[Provider][Name]>
      : never;
  };
};
