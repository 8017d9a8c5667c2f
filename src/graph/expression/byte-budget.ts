import type { CopyBudget } from '../values/to-json.ts';
import { spendUnits, priceOfLength, priceOfText } from '../values/meter.ts';
import type { GraphError } from '../values/errors.ts';
import { MAX_VALUE_BYTES, SCALAR_SIZE, textSize, tooLargeError } from '../values/json-size.ts';

/** Price of a key in bytes, in addition to its text. */
const KEY_PRICE = 5;

/** Longer texts are first counted by their length, so that a value that is too large is refused before it is read. */
const LONG_TEXT = 1_000;

/** A limit of the bytes of a value. */
export interface ByteLimit {
  readonly bytes: number;
  /** Returns the error of a value beyond the limit. */
  readonly refuse: (subject: string) => GraphError;
}

const OF_ANY_VALUE: ByteLimit = { bytes: MAX_VALUE_BYTES, refuse: tooLargeError };

/** The current limit of a value to be stored. It is lower than that of any value if a run already holds much. */
let storedValueLimit = OF_ANY_VALUE;

/** Runs work in which each field's value has at most these bytes. */
export function withinByteLimit<T>(limit: ByteLimit, work: () => T): T {
  const before = storedValueLimit;
  storedValueLimit = limit.bytes < before.bytes ? limit : before;
  try {
    return work();
  } finally {
    storedValueLimit = before;
  }
}

/** Returns the budget of a field whose value is stored. */
export function bytesOfField(subject: string): ByteBudget {
  return new ByteBudget(subject, storedValueLimit);
}

/** The bytes that a field's value may still take, counted while it is made, in the sizes of `json-size.ts`. */
export class ByteBudget implements CopyBudget {
  readonly #subject: string;
  readonly #limit: ByteLimit;
  #remaining: number;
  /** Long texts that have only been counted by their length. */
  #unmeasured: string[] = [];

  constructor(subject: string, limit = OF_ANY_VALUE) {
    this.#subject = subject;
    this.#limit = limit;
    this.#remaining = limit.bytes;
  }

  /** Counts a text; a long one as if it were ASCII until `measure` is called. @throws GraphError `PAYLOAD_TOO_LARGE` */
  takeText(text: string): void {
    if (text.length <= LONG_TEXT) {
      spendUnits(priceOfText(text));
      return this.#take(textSize(text) + 1);
    }
    spendUnits(1);
    this.#take(text.length + 3);
    this.#unmeasured.push(text);
  }

  /** Measures the long texts counted so far, and charges the difference. @throws as `takeText` */
  measure(): void {
    const texts = this.#unmeasured;
    if (texts.length === 0) return;
    this.#unmeasured = [];
    for (const text of texts) {
      spendUnits(priceOfText(text));
      this.#take(textSize(text) - text.length - 2);
    }
  }

  /** Counts the key of a member. @throws as `takeText` */
  takeKey(key: string): void {
    spendUnits(KEY_PRICE);
    this.takeText(key);
  }

  /** @throws as `takeText` */
  takeScalar(): void {
    spendUnits(1);
    this.#take(SCALAR_SIZE + 1);
  }

  /** Counts the brackets of a list or an object. @throws as `takeText` */
  takeContainer(): void {
    spendUnits(1);
    this.#take(2);
  }

  /** Counts a text before it is made. @throws as `takeText` */
  takeLength(length: number): void {
    spendUnits(priceOfLength(length));
    this.#take(length);
  }

  #take(bytes: number): void {
    this.#remaining -= bytes;
    if (this.#remaining < 0) throw this.#limit.refuse(this.#subject);
  }
}
