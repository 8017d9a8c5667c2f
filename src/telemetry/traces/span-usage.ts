import type { Attributes } from '@opentelemetry/api';
import type { RunEvent } from '../../graph/journal/index.ts';
import { GEN_AI, HOLDFAST } from './names.ts';

/** What calls of models have used in a span. */
export interface SpanUsage {
  costUsd: number;
  /** Tokens of the models of an agent; `null` where they are not told. */
  usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

export const NOTHING_USED: Readonly<SpanUsage> = { costUsd: 0, usage: null };

/** Tokens are those of an agent alone: elsewhere they would be counted twice. */
export function addModelCall(
  span: SpanUsage,
  { costUsd = 0, usage }: Pick<RunEvent & { readonly type: 'model.called' }, 'costUsd' | 'usage'>,
  isAgent: boolean,
): void {
  span.costUsd += costUsd;
  if (!isAgent || !usage) return;
  const { inputTokens = 0, outputTokens = 0 } = span.usage ?? {};
  span.usage = { inputTokens: inputTokens + usage.inputTokens, outputTokens: outputTokens + usage.outputTokens };
}

export function usageAttributes({ usage, costUsd }: Readonly<SpanUsage>): Attributes {
  return {
    ...(usage && { [GEN_AI.inputTokens]: usage.inputTokens, [GEN_AI.outputTokens]: usage.outputTokens }),
    ...(costUsd > 0 && { [HOLDFAST.cost]: costUsd }),
  };
}
