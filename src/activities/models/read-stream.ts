import type {
  LanguageModelV3Content,
  LanguageModelV3Reasoning,
  LanguageModelV3StreamPart,
  LanguageModelV3Text,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import { isJsonList, isJsonObject, toJson } from '../../graph/values/index.ts';
import { ReportedError, toProviderError } from './wire/reported-error.ts';
import { incompleteAnswer } from './wire/wire-format.ts';

type StreamPart = LanguageModelV3StreamPart;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;
type TextBlock = LanguageModelV3Text | LanguageModelV3Reasoning;

/**
 * Assembles a streamed answer.
 * @param emit takes its text, piece by piece
 * @throws CallError if the stream ends early; the provider's error within the stream; connection errors
 */
export async function readModelStream(
  stream: ReadableStream<StreamPart>,
  emit: (text: string) => void,
): Promise<CompleteAnswer> {
  const content: LanguageModelV3Content[] = [];
  const open = new Map<string, TextBlock>();
  let finish: FinishPart | null = null;
  let refusal = '';
  for await (const part of stream) {
    if (part.type === 'error')
      throw part.error instanceof Error ? part.error : new ReportedError(toProviderError(toJson(part.error)));
    else if (part.type === 'finish') finish = part;
    else if (part.type === 'raw') refusal += refusalText(part.rawValue);
    else if (part.type === 'tool-call') content.push(part);
    else if ('id' in part) readBlockPart(part, open, content);
    if (part.type === 'text-delta') emit(part.delta);
  }
  const { finishReason, usage } = requireFinished(finish);
  return { content, finishReason, usage, refusal };
}

function readBlockPart(part: StreamPart, open: Map<string, TextBlock>, content: LanguageModelV3Content[]): void {
  const [kind, step] = part.type.split('-');
  if ((kind !== 'text' && kind !== 'reasoning') || !('id' in part)) return;
  // Text and reasoning parts number their ids separately.
  const key = `${kind} ${part.id}`;
  const block: TextBlock = open.get(key) ?? { type: kind, text: '' };
  if (step === 'start') {
    open.set(key, block);
    content.push(block);
  }
  if ('delta' in part) block.text += part.delta;
  // The last metadata wins: a signature comes with the last chunk.
  if ('providerMetadata' in part && part.providerMetadata) block.providerMetadata = part.providerMetadata;
  if (step === 'end') open.delete(key);
}

function requireFinished(finish: FinishPart | null): FinishPart {
  if (finish !== null && !isUnfinished(finish)) return finish;
  throw incompleteAnswer('it has no finish reason');
}

/** Adapters report this reason if the stream had none. */
function isUnfinished({ finishReason }: FinishPart): boolean {
  return finishReason.unified === 'other' && finishReason.raw === undefined;
}

/** A model's complete answer, streamed or not. */
export interface CompleteAnswer extends Pick<LanguageModelV3GenerateResult, 'content' | 'finishReason' | 'usage'> {
  /** Text of a refusal, which the adapter drops. */
  readonly refusal: string;
}

export function toModelAnswer({
  content,
  finishReason,
  usage,
  response,
}: LanguageModelV3GenerateResult): CompleteAnswer {
  return { content, finishReason, usage, refusal: refusalText(response?.body) };
}

/** Reads the field `refusal` of a chat completion or of a chunk of one. */
function refusalText(body: unknown): string {
  const choices = isJsonObject(body) ? body['choices'] : undefined;
  const first = isJsonList(choices) ? choices[0] : undefined;
  if (!isJsonObject(first)) return '';
  const message = first['message'] ?? first['delta'];
  return isJsonObject(message) && typeof message['refusal'] === 'string' ? message['refusal'] : '';
}
