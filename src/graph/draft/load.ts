import type { RunEventBody } from '../journal/events.ts';
import { jsonSize } from '../values/json-size.ts';
import { unitsSpent } from '../values/meter.ts';

/** Measures an `advance`, which yields beyond the limits to keep workflow activations short. */
export interface Load {
  /** The bytes of its events. */
  bytes: number;
  /** The reading of the meter at the beginning. */
  readonly unitsBefore: number;
  /** An upper bound of the number of tasks of the run's superstep, graphs inside included. */
  tasksAtMost: number;
}

/** A draft, as far as its load matters. */
interface Loaded {
  readonly load: Load;
}

/** Bytes of events after which an `advance` yields. */
const MAX_EVENT_BYTES = 1_000_000;
/** Units of the meter after which it yields; they belong to the interpreter version. */
const MAX_UNITS = 3_000_000;
/** Units after which it yields before work that can't be interrupted, which has allowances of its own. */
const MAX_UNITS_BEFORE_WHOLE = 1_000_000;
const EVENT_OVERHEAD = 120;

export function newLoad(): Load {
  return { bytes: 0, unitsBefore: unitsSpent(), tasksAtMost: Number.POSITIVE_INFINITY };
}

/** Counts an event. Only events that can be many in one `advance` are measured; results come singly and are limited elsewhere. */
export function countEvent({ load }: Loaded, body: RunEventBody): void {
  load.bytes += EVENT_OVERHEAD + payloadSize(body);
}

function payloadSize(body: RunEventBody): number {
  if ('update' in body) return jsonSize(body.update);
  if (body.type === 'tool.requested' || body.type === 'function.requested') return jsonSize(body.args);
  return body.type === 'approval.requested' ? jsonSize(body.approval) : 0;
}

/** The work of this `advance`, in units. One that yields for its events counts as one that yields for its units. */
export function workOf({ load }: Loaded, hasYielded: boolean): number {
  return Math.max(unitsSpent() - load.unitsBefore, hasYielded ? MAX_UNITS : 0);
}

/** True if this `advance` should yield: for its events to be written, or since it has taken long. */
export function mustYield({ load }: Loaded): boolean {
  return load.bytes > MAX_EVENT_BYTES || unitsSpent() - load.unitsBefore > MAX_UNITS;
}

/** True if this `advance` should yield before it enters a graph or closes a superstep, which are done as a whole. */
export function mustYieldBeforeWhole({ load }: Loaded): boolean {
  return mustYield({ load }) || unitsSpent() - load.unitsBefore > MAX_UNITS_BEFORE_WHOLE;
}
