import { z } from 'zod';
import type { ModelReply } from '../../graph/run/index.ts';
import { messageOf, toJson, toPointer } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { fromCode } from '../calls/classify-failure.ts';
import { requireContent } from '../require-content.ts';
import { MOST_TOKENS } from './countable-tokens.ts';
import type { Generate, OwnGenerate } from './model.ts';

/** Creates a model from configured code. Its replies are checked, and its errors are retryable. */
export function createOwnModel(generate: (...args: Parameters<OwnGenerate>) => unknown): Generate {
  return async (request, context) => {
    try {
      return toReply(request.model, await generate(request, context));
    } catch (error) {
      throw fromCode('MODEL_FAILED', error);
    }
  };
}

const Args = z.unknown().transform((value, context): Json => {
  try {
    return toJson(value);
  } catch (error) {
    context.addIssue(messageOf(error));
    return z.NEVER;
  }
});
const Tokens = z.int().min(0).max(MOST_TOKENS);

const Usage = z.object({ inputTokens: Tokens, outputTokens: Tokens });
/** The part of a reply that counts, also where the rest can't be used. */
const Used = z.object({ usage: Usage });

const Reply = z.object({
  text: z.string().default(''),
  toolCalls: z.array(z.object({ id: z.string().default(''), name: z.string(), args: Args })).default([]),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'refusal', 'other']).default('stop'),
  usage: Usage.default({ inputTokens: 0, outputTokens: 0 }),
});

/** Checks a reply: an invalid number would spoil all sums of the run. */
function toReply(model: string, returned: unknown): ModelReply {
  const parsed = Reply.safeParse(returned);
  if (parsed.success) return requireContent({ kind: 'model', ...parsed.data });
  const [{ path, message } = { path: [], message: 'It is not accepted' }] = parsed.error.issues;
  const pointer = toPointer(path.map(String)) || '/';
  throw new CallError('MODEL_FAILED', `The code of the model "${model}" gave back no reply at ${pointer}: ${message}`, {
    retryable: false,
    done: 'perhaps',
    usage: Used.safeParse(returned).data?.usage ?? null,
  });
}
