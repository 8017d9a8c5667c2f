import { z } from 'zod';
import { MAX_OPTION_LENGTH, MODEL_OPTIONS } from '../definition/model-options.ts';
import type { OptionKind } from '../definition/model-options.ts';
import { mapValues } from '../values/collections.ts';
import { describe } from './field-texts.ts';
import type { FieldTexts } from './field-texts.ts';

type Options = typeof MODEL_OPTIONS;

const PROVIDERS = {
  openai: "Of OpenAI's Responses API.",
  anthropic: "Of Anthropic's Messages API.",
  google: "Of Google's generateContent.",
  'openai-compatible': 'Of chat completions.',
} as const satisfies Record<keyof Options, string>;

const TEXTS: { readonly [Provider in keyof Options]: Record<keyof Options[Provider], string> } = {
  openai: {
    parallelToolCalls: 'False: the model requests one tool at a time.',
    textVerbosity: 'How much the model says.',
    promptCacheKey: 'Requests with the same key and beginning share a cache.',
    safetyIdentifier: 'A stable name of the end user, for checks of misuse.',
  },
  anthropic: { disableParallelToolUse: 'True: the model requests one tool at a time.' },
  google: { mediaResolution: 'How closely the model looks at media.' },
  'openai-compatible': { textVerbosity: 'How much the model says.', user: 'A stable name of the end user.' },
};

/** The options of providers that a node may set. */
export const ProviderOptions = describe(
  z.strictObject({
    openai: optionsOf('openai'),
    anthropic: optionsOf('anthropic'),
    google: optionsOf('google'),
    'openai-compatible': optionsOf('openai-compatible'),
  }),
  PROVIDERS,
);

function optionsOf(provider: keyof Options): z.ZodType {
  const fields: Readonly<Record<string, OptionKind>> = MODEL_OPTIONS[provider];
  const texts: FieldTexts = TEXTS[provider];
  return describe(z.strictObject(mapValues(fields, (kind) => schemaOf(kind).optional())), texts).optional();
}

function schemaOf(kind: OptionKind): z.ZodType {
  if (kind === 'boolean') return z.boolean();
  return kind === 'text' ? z.string().min(1).max(MAX_OPTION_LENGTH) : z.enum(kind);
}
