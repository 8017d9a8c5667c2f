import type { JSONSchema7 } from '@ai-sdk/provider';
import { isJsonObject } from '../../graph/values/index.ts';
import type { ProviderName } from '../model-providers.ts';
import type { ModelRequest } from './model.ts';
import { isPlainSchema, isStrictSchema } from './plain-schema.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';

/** The way to request structured output: the provider's JSON mode, or an instruction in words. */
export type OutputMode =
  | { readonly kind: 'native'; readonly schema: JSONSchema7; readonly isStrict: boolean }
  | { readonly kind: 'words'; readonly text: string };

/** Chooses the mode for a request with an output schema. The answer is checked in either mode. */
export function chooseOutputMode(
  provider: ProviderName,
  { output, tools }: { readonly output: NonNullable<ModelRequest['output']>; readonly tools: readonly unknown[] },
): OutputMode {
  const { withTools, anySchema } = PROVIDER_TRAITS[provider].output;
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
