/** A global symbol, because a configuration may have loaded this module twice. */
const BRAND = Symbol.for('holdfast.PlainResult');

/** What a function or a node type returns as its result, even if it looks like a command to the engine. */
export class PlainResult {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  get [BRAND](): true {
    return true;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/**
 * Marks what a function returns as its result. Without it, an object with keys of a command only (`update`, `goto`,
 * `control`, `reason`) is a command. For code that hands on the JSON of somebody else.
 */
export function result(value: unknown): PlainResult {
  return new PlainResult(value);
}
