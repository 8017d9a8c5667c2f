/** What a function or a node type returns as its result, even if it looks like a command to the engine. */
export class PlainResult {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Marks what a function returns as its result. Without it, an object with keys of a command only (`update`, `goto`,
 * `control`, `reason`) is a command. For code that hands on the JSON of somebody else.
 */
export function result(value: unknown): PlainResult {
  return new PlainResult(value);
}
