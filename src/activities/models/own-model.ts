import { z } from 'zod';
import type { ModelReply } from '../../graph/run/index.ts';
import { messageOf, toJson, toPointer } from '../../graph/values/index.ts';
import type { Json, TokenUsage } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { fromCode } from '../calls/classify-failure.ts';
import { requireContent, MOST_TOKENS } from './to-reply.ts';
import type { Generate, OwnGenerate } from './model.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import { GEN_AI } from '../../telemetry/traces/names.ts';

/** Creates a model from configured code. Its replies are checked, and its errors are retryable. */
export function createOwnModel(generate: (...args: Parameters<OwnGenerate>) => unknown): Generate {
  return async (request, { isLastAttempt: _isLastAttempt, ...context }) => {
    try {
      return checkOwnReply(request.model, await generate(request, context));
    } catch (error) {
      throw fromCode('MODEL_FAILED', error);
    }
  };
}

const ArgumentsSchema = z.unknown().transform((value, context): Json => {
  try {
    return toJson(value);
  } catch (error) {
    context.addIssue(messageOf(error));
    return z.NEVER;
  }
});
const TokenCountSchema = z.int().min(0).max(MOST_TOKENS);

const ReplyUsageSchema = z.object({ inputTokens: TokenCountSchema, outputTokens: TokenCountSchema });
/** The usage in a reply, which counts even if the rest is invalid. */
const UsedReplySchema = z.object({ usage: ReplyUsageSchema });

const ReplySchema = z.object({
  text: z.string().default(''),
  toolCalls: z.array(z.object({ id: z.string().default(''), name: z.string(), args: ArgumentsSchema })).default([]),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'refusal', 'other']).default('stop'),
  usage: ReplyUsageSchema.default({ inputTokens: 0, outputTokens: 0 }),
});

/** Checks a reply: an invalid number would spoil all sums of the run. */
function checkOwnReply(model: string, returned: unknown): ModelReply {
  const parsed = ReplySchema.safeParse(returned);
  if (parsed.success) return requireContent({ kind: 'model', ...parsed.data });
  const [{ path, message } = { path: [], message: 'It is not accepted' }] = parsed.error.issues;
  const pointer = toPointer(path.map(String)) || '/';
  throw new CallError('MODEL_FAILED', `The code of the model "${model}" gave back no reply at ${pointer}: ${message}`, {
    retryable: false,
    done: 'perhaps',
    usage: UsedReplySchema.safeParse(returned).data?.usage ?? null,
  });
}

/** A model with its names in metrics. */
interface NamedModel {
  /** OpenTelemetry's name (`gen_ai.provider.name`). */
  readonly provider: string;
  readonly model: string;
}

/** Measures requests to a model: duration, time to the first text, and tokens. */
export function measuredModel(generate: Generate, { provider, model }: NamedModel): Generate {
  const labels = { [GEN_AI.operation]: 'chat', [GEN_AI.provider]: provider, [GEN_AI.requestModel]: model } as const;
  return async (request, context) => {
    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1_000;
    let hasText = false;
    const emit = (text: string): void => {
      if (!hasText) measure('gen_ai.client.operation.time_to_first_chunk', seconds(), labels);
      hasText = true;
      context.emit(text);
    };
    const record = (error: string | undefined): void =>
      measure('gen_ai.client.operation.duration', seconds(), { ...labels, 'error.type': error });
    const count = ({ inputTokens, outputTokens }: TokenUsage): void => {
      measure('gen_ai.client.token.usage', inputTokens, { ...labels, 'gen_ai.token.type': 'input' });
      measure('gen_ai.client.token.usage', outputTokens, { ...labels, 'gen_ai.token.type': 'output' });
    };
    try {
      const reply = await generate(request, { ...context, emit });
      record(undefined);
      count(reply.usage);
      return reply;
    } catch (error) {
      if (error instanceof CallError && error.usage) count(error.usage);
      record(error instanceof CallError ? error.code : 'INTERNAL');
      throw error;
    }
  };
}
