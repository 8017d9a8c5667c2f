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
