import { EventEmitter, once } from 'node:events';
import type { Task } from './data.ts';
import type { Branch } from './shop/branch.ts';

/** How many calls the model asks for in one turn. */
export type Turns = 'one call a turn' | 'all calls in one turn';
export const EACH_TURNS: readonly Turns[] = ['one call a turn', 'all calls in one turn'];

/** A step of an exchange with the outside. */
export type Phase = 'requested' | 'executed' | 'answered';

/** An exchange between Holdfast and the outside, at one of its steps. */
export interface Encounter {
  readonly kind: 'model' | 'tool' | 'decision';
  /** The name of the tool; empty for others. */
  readonly name: string;
  /** The idempotency key of a tool call; empty for others. */
  readonly key: string;
  /** The position among all exchanges of the case, from 0. */
  readonly number: number;
  readonly phase: Phase;
}

export const PHASES: readonly Phase[] = ['requested', 'executed', 'answered'];

/** How the outside behaves: it may also break the connection off, or refuse for good. */
export type Behavior = 'as usual' | 'hangs up' | 'refuses';

/** A task that is played: its customer, its shop, and what the model was told at the end. */
export interface Case {
  readonly id: string;
  readonly task: Task;
  readonly turns: Turns;
  readonly branch: Branch;
  /** Idempotency keys of calls that the shop has received and not yet executed or dropped. */
  readonly open: Set<string>;
  readonly meet: (encounter: Encounter) => Promise<Behavior>;
  /** Its runs: the first, and a fork of it. */
  readonly runIds: string[];
  /** The number of exchanges so far. */
  exchanges: number;
  /** The results of calls in the last request to the model, in order. */
  told: readonly string[];
}

/** Cases by the ids of their runs. */
export interface Cases {
  add(one: Case): void;
  /** @throws RangeError if there is none */
  byId(id: string): Case;
  assign(runId: string, one: Case): void;
  /** Waits until the run is assigned. */
  ofRun(runId: string): Promise<Case>;
}

export function openCases(): Cases {
  const ids = new Map<string, Case>();
  const runs = new Map<string, Case>();
  const assigned = new EventEmitter().setMaxListeners(0);
  return {
    add: (one) => void ids.set(one.id, one),
    byId(id) {
      const one = ids.get(id);
      if (!one) throw new RangeError(`There is no case ${id}`);
      return one;
    },
    assign(runId, one) {
      one.runIds.push(runId);
      runs.set(runId, one);
      assigned.emit(runId);
    },
    async ofRun(runId) {
      for (;;) {
        const one = runs.get(runId);
        if (one) return one;
        await once(assigned, runId);
      }
    },
  };
}
