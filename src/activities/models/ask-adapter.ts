import { APICallError } from '@ai-sdk/provider';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { toAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { GenerateContext } from './model.ts';
import { NotStreamedError } from './open-transport.ts';
import type { Transport } from './open-transport.ts';
import { readStream } from './read-stream.ts';

/** One question to a provider's adapter. */
export interface Question {
  readonly adapter: LanguageModelV3;
  readonly options: LanguageModelV3CallOptions;
  readonly transport: Transport;
  readonly emit: GenerateContext['emit'];
}

/**
 * Makes a function that asks adapters of one model.
 * Streams until the server refuses one or reports no usage; then asks for whole answers.
 * @param wantsStream false to ask for whole answers from the beginning
 */
export function createAskAdapter(wantsStream: boolean): (question: Question) => Promise<Answer> {
  let asksForStreams = wantsStream;
  return async ({ adapter, options, transport, emit }) => {
    if (asksForStreams) {
      try {
        transport.expectStream();
        const { stream } = await adapter.doStream({ ...options, includeRawChunks: true });
        const answer = await readStream(stream, emit);
        asksForStreams = hasUsage(answer);
        return answer;
      } catch (error) {
        if (refusesStreams(error)) asksForStreams = false;
        else if (!(error instanceof NotStreamedError)) throw error;
      }
    }
    transport.expectWhole();
    return toAnswer(await adapter.doGenerate(options));
  };
}

function hasUsage({ usage: { inputTokens, outputTokens } }: Answer): boolean {
  return inputTokens.total !== undefined || outputTokens.total !== undefined;
}

const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 422, 501]);

/** Servers without streams, or without the usage at their end, name the field that they do not take. */
function refusesStreams(error: unknown): boolean {
  return APICallError.isInstance(error) && REFUSALS.has(error.statusCode) && /\bstream/i.test(error.responseBody ?? '');
}
