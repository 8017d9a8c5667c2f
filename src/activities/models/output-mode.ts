import type { JSONSchema7 } from '@ai-sdk/provider';
import { isJsonObject } from '../../graph/values/index.ts';
import type { ModelRequest, ModelSettings } from './model.ts';
import { isPlainSchema, isStrictSchema } from './plain-schema.ts';

/** The way to request structured output: the provider's JSON mode, or an instruction in words. */
export type OutputMode =
  | { readonly kind: 'native'; readonly schema: JSONSchema7; readonly isStrict: boolean }
  | { readonly kind: 'words'; readonly text: string };

interface Abilities {
  /** The JSON mode works in requests with tools. */
  readonly withTools: boolean;
  /** The provider takes every schema unchanged, also open objects and references. */
  readonly anySchema: boolean;
}

/*
 * Google refuses JSON mode with tools before Gemini 3. For Anthropic models without a JSON mode the adapter forces a
 * tool call, so they can choose no other tool. Many compatible servers support only one of the two.
 */
const ABILITIES: Readonly<Record<ModelSettings['provider'], Abilities>> = {
  openai: { withTools: true, anySchema: true },
  'openai-compatible': { withTools: false, anySchema: true },
  anthropic: { withTools: false, anySchema: false },
  google: { withTools: false, anySchema: false },
};

/** Chooses the mode for a request with an output schema. The answer is checked in either mode. */
export function chooseOutputMode(
  provider: ModelSettings['provider'],
  { output, tools }: { readonly output: NonNullable<ModelRequest['output']>; readonly tools: readonly unknown[] },
): OutputMode {
  const { withTools, anySchema } = ABILITIES[provider];
  const hasTools = tools.length > 0;
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
