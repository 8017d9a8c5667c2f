import type { WorkflowProcess } from './start-workflow-process.ts';

/** Processes for one execution alone, one after the other. */
export interface Cell {
  /** Gives a new process, in place of the last one. @throws ProcessEnded */
  fresh(): Promise<WorkflowProcess>;
  leave(): Promise<void>;
}

/** The cells of a worker. One is in use at a time, as it costs one more process. */
export interface Cells {
  /** Waits for its turn. */
  enter(): Promise<Cell>;
  stop(): Promise<void>;
}

/** @param start starts a process and waits until it is ready */
export function createCells(start: () => Promise<WorkflowProcess>): Cells {
  let lastLeft: Promise<void> = Promise.resolve();
  let process: WorkflowProcess | null = null;
  const stop = async (): Promise<void> => {
    const last = process;
    process = null;
    await last?.stop();
  };
  return {
    async enter() {
      const before = lastLeft;
      let leave = (): void => undefined;
      lastLeft = new Promise((resolve) => (leave = resolve));
      await before;
      return {
        async fresh() {
          await stop();
          return (process = await start());
        },
        async leave() {
          await stop();
          leave();
        },
      };
    },
    stop,
  };
}
