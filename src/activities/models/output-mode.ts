import type { JSONSchema7 } from '@ai-sdk/provider';
import { isJsonObject } from '../../graph/values/index.ts';
import type { ModelRequest, ModelSettings } from './model.ts';
import { isPlainSchema, isStrictSchema } from './plain-schema.ts';

/** How a model is told what its answer has to look like: by its provider's JSON mode, or in words. */
export type OutputMode =
  | { readonly kind: 'native'; readonly schema: JSONSchema7; readonly isStrict: boolean }
  | { readonly kind: 'words'; readonly text: string };

interface Abilities {
  /** The JSON mode and tools go together. */
  readonly withTools: boolean;
  /** Objects that are left open, references and the like arrive as they are. */
  readonly anySchema: boolean;
}

/*
 * Google refuses the combination before Gemini 3. With Anthropic, the adapter makes models without a JSON mode answer by a
 * forced call, which takes the choice of a tool from them. Many of the compatible servers know one of the two only.
 */
const ABILITIES: Readonly<Record<ModelSettings['provider'], Abilities>> = {
  openai: { withTools: true, anySchema: true },
  'openai-compatible': { withTools: false, anySchema: true },
  anthropic: { withTools: false, anySchema: false },
  google: { withTools: false, anySchema: false },
};

/** Chooses the mode for a request that has an output schema. Whatever the mode, the answer is checked. */
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
