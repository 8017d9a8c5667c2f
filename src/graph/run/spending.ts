/** USD per million tokens, which is millionths of a USD per token. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** Returns a model call's cost in whole millionths of a US dollar; 0 without a known price. */
export function costMicros(
  usage: { readonly inputTokens: number; readonly outputTokens: number },
  price: Price | undefined,
): number {
  return price ? Math.round(usage.inputTokens * price.input + usage.outputTokens * price.output) : 0;
}

/** The usage of a run. Money is in millionths of a US dollar, so sums are exact. */
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

/** A model call's budget needs in tokens: its input, and its wanted output. */
export interface ModelNeeds {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}
