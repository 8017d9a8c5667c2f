import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { isJsonList, isJsonObject } from '../../graph/values/index.ts';

/** A model's complete answer, streamed or not. */
export interface Answer extends Pick<LanguageModelV3GenerateResult, 'content' | 'finishReason' | 'usage'> {
  /** Text of a refusal, which the adapter drops. */
  readonly refusal: string;
}

export function toAnswer({ content, finishReason, usage, response }: LanguageModelV3GenerateResult): Answer {
  return { content, finishReason, usage, refusal: refusalIn(response?.body) };
}

/** Reads the field `refusal` of a chat completion or of a chunk of one. */
export function refusalIn(body: unknown): string {
  const choices = isJsonObject(body) ? body['choices'] : undefined;
  const first = isJsonList(choices) ? choices[0] : undefined;
  if (!isJsonObject(first)) return '';
  const message = first['message'] ?? first['delta'];
  return isJsonObject(message) && typeof message['refusal'] === 'string' ? message['refusal'] : '';
}
