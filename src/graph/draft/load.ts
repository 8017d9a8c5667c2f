import type { RunEventBody } from '../journal/events.ts';
import type { ComputedUnits } from '../run/run.ts';
import { jsonSize } from '../values/json-size.ts';
import { unitsSpent } from '../values/meter.ts';

/** The load of one `advance`, which yields beyond its limits to keep workflow activations short. */
export interface AdvanceLoad {
  /** The bytes of its events so far. */
  bytes: number;
  /** The reading of the meter at the beginning. */
  readonly unitsBefore: number;
  /** An upper bound of the number of tasks of the run's superstep, graphs inside included. */
  tasksAtMost: number;
}

/** The parts of a draft that its load depends on. */
interface LoadedDraft {
  readonly load: AdvanceLoad;
}

/** Bytes of events after which an `advance` yields. */
const MAX_EVENT_BYTES = 1_000_000;
/** Units of the meter after which an `advance` yields. They belong to the interpreter version. */
const MAX_UNITS_OF_ADVANCE = 3_000_000;
/** Units after which an `advance` yields before work that can't be interrupted, which has its own allowances. */
const MAX_UNITS_BEFORE_WHOLE = 1_000_000;
const EVENT_OVERHEAD = 120;

export function newLoad(): AdvanceLoad {
  return { bytes: 0, unitsBefore: unitsSpent(), tasksAtMost: Number.POSITIVE_INFINITY };
}

/**
 * Counts an event. Only kinds that can be frequent in one `advance` are measured; results arrive one at a time and are
 * limited elsewhere.
 */
export function countEvent({ load }: LoadedDraft, body: RunEventBody): void {
  load.bytes += EVENT_OVERHEAD + payloadSize(body);
}

function payloadSize(body: RunEventBody): number {
  if ('update' in body) return jsonSize(body.update);
  if (body.type === 'tool.requested' || body.type === 'function.requested') return jsonSize(body.args);
  return body.type === 'approval.requested' ? jsonSize(body.approval) : 0;
}

/**
 * Returns the work of this `advance`, in units. One that yields for its events counts as if it yielded for its units.
 */
export function unitsOfAdvance({ load }: LoadedDraft, hasYielded: boolean): number {
  return Math.max(unitsSpent() - load.unitsBefore, hasYielded ? MAX_UNITS_OF_ADVANCE : 0);
}

/** True if this `advance` should yield, either to have its events written or because it has used many units. */
export function mustYield({ load }: LoadedDraft): boolean {
  return load.bytes > MAX_EVENT_BYTES || unitsSpent() - load.unitsBefore > MAX_UNITS_OF_ADVANCE;
}

/** True if this `advance` should yield before it enters a graph or closes a superstep, which can't be interrupted. */
export function mustYieldBeforeUninterruptible({ load }: LoadedDraft): boolean {
  return mustYield({ load }) || unitsSpent() - load.unitsBefore > MAX_UNITS_BEFORE_WHOLE;
}

/**
 * Units that a result, a signal or a timer gives back to the open superstep, because an agent continues as long as it
 * receives answers.
 */
const UNITS_RETURNED_PER_INPUT = 300_000;

/** Counts what a run computes, in units of the meter: across yields and in every part of the interpreter. */
export class DraftWork {
  readonly #total: Record<keyof ComputedUnits, number>;
  /** The reading of the meter that was counted last. */
  #reading = unitsSpent();

  constructor(computed: ComputedUnits) {
    this.#total = { ...computed };
  }

  /** Returns the counts up to now. */
  get computed(): ComputedUnits {
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
  receiveOccurrence(): void {
    this.#reset({ superstep: Math.max(0, this.computed.superstep - UNITS_RETURNED_PER_INPUT), alone: 0 });
  }

  #reset(changes: Partial<ComputedUnits>): void {
    Object.assign(this.#total, { ...this.computed, ...changes });
  }
}
