import { MAX_VALUE_BYTES, SCALAR_SIZE, textSize, tooLarge } from '../values/json-size.ts';
import type { CopyBudget } from '../values/json.ts';
import { priceOfText, spend } from '../values/meter.ts';

/** Price of a key, on top of its text. */
const KEY_PRICE = 5;

/** The bytes that one field may still make, counted while they are made, in sizes of `json-size.ts`. */
export class ByteBudget implements CopyBudget {
  readonly #subject: string;
  #remaining: number;

  constructor(subject: string, bytes: number = MAX_VALUE_BYTES) {
    this.#subject = subject;
    this.#remaining = bytes;
  }

  /** @throws GraphError `PAYLOAD_TOO_LARGE` */
  takeText(text: string): void {
    spend(priceOfText(text));
    this.#take(text.length > this.#remaining ? text.length : textSize(text) + 1);
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
    if (this.#remaining < 0) throw tooLarge(this.#subject);
  }
}
