import { ZodError, z } from 'zod';
import { own } from '../../../src/graph/values/json.ts';
import type { Action } from '../data.ts';
import { UNDO } from '../tools.ts';
import { READS } from './reads.ts';
import type { Records } from './records.ts';
import { Refusal, UNCHANGED, change, currentOf, differencesOf, found } from './stock.ts';
import type { Changes, Stock } from './stock.ts';
import { WRITES } from './writes.ts';

/** A call of a tool, with its idempotency key. */
export interface Call extends Action {
  readonly key: string;
}

/** A response of the shop. */
export interface Answer {
  readonly isAccepted: boolean;
  readonly body: object | string;
}

/** A call that was executed, or refused. */
export interface Entry extends Call {
  readonly answer: Answer;
}

/** A shop of its own for one customer. */
export interface Branch {
  /** Every executed call, in order; a call that is executed twice is there twice. */
  readonly log: readonly Entry[];
  /** The records that differ from those at the beginning. */
  differences(): Changes;
  execute(call: Call): Answer;
}

export interface BranchOptions {
  /** True if a repeated key gets the first answer again; otherwise keys are ignored. */
  readonly honoursKeys: boolean;
}

export function openBranch(begun: Records, { honoursKeys }: BranchOptions): Branch {
  let stock: Stock = { begun, changed: UNCHANGED };
  const log: Entry[] = [];
  /** The records before each write, by its receipt. */
  const before = new Map<number, Changes>();
  const run = ({ name, args }: Action): object | string => {
    const write = own<Write>(WRITES, name);
    if (write) {
      const changes = write(stock, args);
      const receipt = log.length;
      before.set(receipt, currentOf(stock, changes));
      stock = change(stock, changes);
      return { receipt, ...changes };
    }
    if (name === UNDO) {
      const { receipt } = z.object({ receipt: z.number() }).parse(args);
      stock = change(stock, found(before.get(receipt), 'Receipt not found'));
      return { receipt };
    }
    return found(own<Read>(READS, name), 'Tool not found')(stock, args);
  };
  return {
    log,
    differences: () => differencesOf(stock),
    execute(call) {
      const known = honoursKeys ? log.find(({ key }) => key === call.key) : undefined;
      if (known) return known.answer;
      const answer = answerOf(() => run(call));
      log.push({ ...call, answer });
      return answer;
    },
  };
}

type Write = (stock: Stock, args: unknown) => Changes;
type Read = (stock: Stock, args: unknown) => object | string;

function answerOf(run: () => object | string): Answer {
  try {
    return { isAccepted: true, body: run() };
  } catch (error) {
    if (error instanceof Refusal || error instanceof ZodError) return { isAccepted: false, body: error.message };
    throw error;
  }
}
