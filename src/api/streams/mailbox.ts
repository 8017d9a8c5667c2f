import type { ModelDelta } from '../../graph/journal/index.ts';

/** What has come for a reader since it looked last. */
export interface Mail {
  readonly deltas: readonly ModelDelta[];
  /** The run may have done something. */
  readonly hasChanged: boolean;
}

/** Keeps what comes for a reader that is slower than the run. */
export class Mailbox {
  #deltas: ModelDelta[] = [];
  #hasChanged = true;
  #wake = (): void => undefined;

  /** Takes a delta, unless too many wait: what is recorded in the end has their text. */
  readonly put = (delta: ModelDelta): void => {
    if (this.#deltas.length < MAX_DELTAS) this.#deltas.push(delta);
    this.#wake();
  };

  readonly ring = (): void => {
    this.#hasChanged = true;
    this.#wake();
  };

  /** Waits until something has come, or the time is up: then a look is due, as changes may be missed. */
  async take(withinMs: number): Promise<Mail> {
    if (this.#deltas.length === 0 && !this.#hasChanged)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(this.ring, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = () => undefined;
    const mail = { deltas: this.#deltas, hasChanged: this.#hasChanged };
    this.#deltas = [];
    this.#hasChanged = false;
    return mail;
  }
}

const MAX_DELTAS = 2_000;
