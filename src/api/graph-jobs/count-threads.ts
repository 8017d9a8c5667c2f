import { availableParallelism, totalmem } from 'node:os';

/** What threads have at their disposal. */
export interface Room {
  readonly processors: number;
  /** Of the machine, or of the container. */
  readonly memoryMib: number;
}

const MOST = 4;
/** With less, one tenant could have all of them. */
const FEWEST = 2;
/** What the process needs beside its threads. */
const OWN_MIB = 512;
const MIB = 1_048_576;

/**
 * Counts the threads that may work at a time.
 * @param heapMib the heap of each
 */
export function countThreads(heapMib: number, { processors, memoryMib }: Room = roomHere()): number {
  const fitting = Math.floor((memoryMib - OWN_MIB) / heapMib);
  return Math.max(FEWEST, Math.min(MOST, processors, fitting));
}

/** Without a limit, Node says 0 for it or more than any machine has. */
function roomHere(): Room {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem());
  return { processors: availableParallelism(), memoryMib: memory / MIB };
}
