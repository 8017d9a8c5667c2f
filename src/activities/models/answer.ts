import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { isJsonList, isJsonObject } from '../../graph/values/index.ts';

/** What a model has answered, at once or put together from a stream. */
export interface Answer extends Pick<LanguageModelV3GenerateResult, 'content' | 'finishReason' | 'usage'> {
  /** Words of a refusal that the adapter does not pass on. */
  readonly refusal: string;
}

export function toAnswer({ content, finishReason, usage, response }: LanguageModelV3GenerateResult): Answer {
  return { content, finishReason, usage, refusal: refusalIn(response?.body) };
}

/** The field `refusal` of a chat completion, or of a piece of one. */
export function refusalIn(body: unknown): string {
  const choices = isJsonObject(body) ? body['choices'] : undefined;
  const first = isJsonList(choices) ? choices[0] : undefined;
  if (!isJsonObject(first)) return '';
  const message = first['message'] ?? first['delta'];
  return isJsonObject(message) && typeof message['refusal'] === 'string' ? message['refusal'] : '';
}
