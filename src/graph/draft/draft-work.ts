import type { Computed } from '../run/run.ts';
import { unitsSpent } from '../values/meter.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a result, a signal or a timer gives back to the open superstep: agents go on for as long as they are answered. */
const UNITS_OF_OUTSIDE = 300_000;

/** Counts what a run computes, in units of the meter: across yields, and whatever part of the interpreter spends them. */
export class DraftWork {
  readonly #total: Mutable<Computed>;
  /** The reading of the meter up to which it has been counted. */
  #reading = unitsSpent();

  constructor(computed: Computed) {
    this.#total = { ...computed };
  }

  /** Counts up to now. */
  get computed(): Computed {
    const reading = unitsSpent();
    this.#total.superstep += reading - this.#reading;
    this.#total.alone += reading - this.#reading;
    this.#reading = reading;
    return this.#total;
  }

  /** Begins to count anew for a superstep, or for one that a person has done again. */
  beginSuperstep(): void {
    this.#reset({ superstep: 0 });
  }

  /** Takes note of something from outside. */
  hearFromOutside(): void {
    this.#reset({ superstep: Math.max(0, this.computed.superstep - UNITS_OF_OUTSIDE), alone: 0 });
  }

  #reset(changes: Partial<Computed>): void {
    Object.assign(this.#total, { ...this.computed, ...changes });
  }
}
