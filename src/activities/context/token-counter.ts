/** Counts the tokens of a text, as a model would. */
export type TokenCounter = (text: string) => number;
