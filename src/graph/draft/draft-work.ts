import type { Computed } from '../run/run.ts';
import { unitsSpent } from '../values/meter.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Units that a result, a signal or a timer gives back to the open superstep, because an agent continues as long as it
 * receives answers.
 */
const UNITS_OF_OUTSIDE = 300_000;

/** Counts what a run computes, in units of the meter: across yields and in every part of the interpreter. */
export class DraftWork {
  readonly #total: Mutable<Computed>;
  /** The reading of the meter that was counted last. */
  #reading = unitsSpent();

  constructor(computed: Computed) {
    this.#total = { ...computed };
  }

  /** Returns the counts up to now. */
  get computed(): Computed {
    const reading = unitsSpent();
    this.#total.superstep += reading - this.#reading;
    this.#total.alone += reading - this.#reading;
    this.#reading = reading;
    return this.#total;
  }

  /** Restarts the count for a superstep, or for one that a person retries. */
  beginSuperstep(): void {
    this.#reset({ superstep: 0 });
  }

  /** Resets the count of uninterrupted work, because an occurrence has arrived from outside. */
  hearFromOutside(): void {
    this.#reset({ superstep: Math.max(0, this.computed.superstep - UNITS_OF_OUTSIDE), alone: 0 });
  }

  #reset(changes: Partial<Computed>): void {
    Object.assign(this.#total, { ...this.computed, ...changes });
  }
}
