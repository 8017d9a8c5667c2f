import type { CallReply } from '../../graph/run/index.ts';
import type { TokenUsage } from '../../graph/values/index.ts';

/** Sums what attempts have used; `null`: it is not known, or nothing. */
export function sumUsage(one: TokenUsage | null, other: TokenUsage | null): TokenUsage | null {
  if (!one || !other) return one ?? other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Adds what the attempts before it have used to the reply of a model. */
export function withUsedBefore(reply: CallReply, usedBefore: TokenUsage | null): CallReply {
  return reply.kind === 'model' && usedBefore
    ? { ...reply, usage: sumUsage(usedBefore, reply.usage) ?? reply.usage }
    : reply;
}

/** What a reply has used; `null` for one of no model. */
export function usageOf(reply: CallReply): TokenUsage | null {
  return reply.kind === 'model' ? reply.usage : null;
}
