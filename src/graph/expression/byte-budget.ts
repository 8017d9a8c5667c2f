import type { GraphError } from '../values/errors.ts';
import { MAX_VALUE_BYTES, SCALAR_SIZE, textSize, tooLarge } from '../values/json-size.ts';
import type { CopyBudget } from '../values/json.ts';
import { priceOfText, spend } from '../values/meter.ts';

/** Price of a key, on top of its text. */
const KEY_PRICE = 5;

/** Longer texts are taken by their lengths first, so what is too large is refused before anything reads it. */
const LONG = 1_000;

/** The bytes that may be made. */
export interface ByteLimit {
  readonly bytes: number;
  /** The error of what takes more. */
  readonly refuse: (subject: string) => GraphError;
}

const OF_ANY_VALUE: ByteLimit = { bytes: MAX_VALUE_BYTES, refuse: tooLarge };

/** The limit of what is made to be kept; lower than that of any value where a run holds much already. */
let kept = OF_ANY_VALUE;

/** Does work whose fields may make no more than that, each. */
export function withinRoom<T>(room: ByteLimit, work: () => T): T {
  const before = kept;
  kept = room.bytes < before.bytes ? room : before;
  try {
    return work();
  } finally {
    kept = before;
  }
}

/** Returns the bytes of a field, whose value is kept. */
export function bytesOfField(subject: string): ByteBudget {
  return new ByteBudget(subject, kept);
}

/** The bytes that one field may still make, counted while they are made, in sizes of `json-size.ts`. */
export class ByteBudget implements CopyBudget {
  readonly #subject: string;
  readonly #limit: ByteLimit;
  #remaining: number;
  /** Long texts that have been taken by their lengths alone. */
  #unmeasured: string[] = [];

  constructor(subject: string, limit = OF_ANY_VALUE) {
    this.#subject = subject;
    this.#limit = limit;
    this.#remaining = limit.bytes;
  }

  /** Takes a text, a long one as if it were ASCII until `measure` is called. @throws GraphError `PAYLOAD_TOO_LARGE` */
  takeText(text: string): void {
    if (text.length <= LONG) {
      spend(priceOfText(text));
      return this.#take(textSize(text) + 1);
    }
    spend(1);
    this.#take(text.length + 3);
    this.#unmeasured.push(text);
  }

  /** Measures the long texts so far, and pays for them. @throws as `takeText` */
  measure(): void {
    const texts = this.#unmeasured;
    if (texts.length === 0) return;
    this.#unmeasured = [];
    for (const text of texts) {
      spend(priceOfText(text));
      this.#take(textSize(text) - text.length - 2);
    }
  }

  /** Takes the key of a member. @throws as `takeText` */
  takeKey(key: string): void {
    spend(KEY_PRICE);
    this.takeText(key);
  }

  /** @throws as `takeText` */
  takeScalar(): void {
    spend(1);
    this.#take(SCALAR_SIZE + 1);
  }

  /** Takes the brackets of a list or an object. @throws as `takeText` */
  takeContainer(): void {
    spend(1);
    this.#take(2);
  }

  /** Takes a text that is about to be made. @throws as `takeText` */
  takeLength(length: number): void {
    spend(priceOfText({ length }));
    this.#take(length);
  }

  #take(bytes: number): void {
    this.#remaining -= bytes;
    if (this.#remaining < 0) throw this.#limit.refuse(this.#subject);
  }
}
