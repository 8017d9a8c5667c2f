/** USD per million tokens, which is millionths of a USD per token. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** What a model call cost, in whole millionths of a US dollar; nothing where no price is known. */
export function costMicros(
  usage: { readonly inputTokens: number; readonly outputTokens: number },
  price: Price | undefined,
): number {
  return price ? Math.round(usage.inputTokens * price.input + usage.outputTokens * price.output) : 0;
}

/** What a run has used. Money is in millionths of a US dollar, so that sums are exact. */
export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
}

export const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, costMicros: 0, modelCalls: 0, toolCalls: 0 };

/** Money is in millionths of a US dollar. */
export interface Reservation {
  readonly tokens: number;
  readonly costMicros: number;
}

/** What a call of a model asks of the budgets, in tokens: what it reads, and so much of an answer as it wants. */
export interface ModelNeeds {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}
