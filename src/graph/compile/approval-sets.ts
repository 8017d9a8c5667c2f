import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import { spend } from '../values/meter.ts';

/** An approval node of a graph, or of a graph inside it. */
export interface ApprovalNode {
  readonly id: string;
  readonly policy: ApprovalPolicy;
}

/** Sets of approvals as the bits of one number. */
export class ApprovalSets {
  readonly #bits = new Map<ApprovalNode, bigint>();
  readonly #ofList = new Map<readonly ApprovalNode[], bigint>();
  /** The set of all approvals. */
  readonly full: bigint;
  /** What it costs to put two sets together. */
  readonly price: number;

  constructor(lists: Iterable<readonly ApprovalNode[]>) {
    for (const approval of [...new Set(lists)].flat()) {
      if (!this.#bits.has(approval)) this.#bits.set(approval, BigInt(this.#bits.size));
    }
    this.full = (1n << BigInt(this.#bits.size)) - 1n;
    this.price = UNITS + Math.ceil(this.#bits.size / BITS_PER_UNIT);
  }

  /** Returns the set of a list that the constructor was given. */
  of(list: readonly ApprovalNode[]): bigint {
    const set = this.#ofList.get(list) ?? this.#toSet(list);
    this.#ofList.set(list, set);
    return set;
  }

  #toSet(list: readonly ApprovalNode[]): bigint {
    spend(list.length * this.price);
    return list.reduce((set, approval) => set | (1n << (this.#bits.get(approval) ?? 0n)), 0n);
  }

  /** Returns the set of all that is in one of the sets. */
  join(sets: readonly bigint[]): bigint {
    spend(sets.length * this.price);
    return sets.reduce((all, set) => all | set, 0n);
  }

  list(set: bigint): readonly ApprovalNode[] {
    spend(this.#bits.size);
    const digits = set.toString(2);
    return [...this.#bits.keys()].filter((_, index) => digits.at(-1 - index) === '1');
  }
}

const UNITS = 3;
const BITS_PER_UNIT = 1024;
