import type { WorkflowProcess } from './start-workflow-process.ts';

/** A process that runs the code of one execution only. It can be replaced by a new one. */
export interface ExclusiveProcess {
  /** Stops the current process and starts a new one. @throws ProcessEnded */
  restart(): Promise<WorkflowProcess>;
  /** Stops the process and lets the next execution have one. */
  release(): Promise<void>;
}

/** The exclusive processes of a worker. Only one exists at a time, to save memory. */
export interface ExclusiveProcesses {
  /** Waits until no other execution has an exclusive process. */
  acquire(): Promise<ExclusiveProcess>;
  stop(): Promise<void>;
}

/** @param start starts a process and resolves when it is ready */
export function createExclusiveProcesses(start: () => Promise<WorkflowProcess>): ExclusiveProcesses {
  let lastReleased: Promise<void> = Promise.resolve();
  let process: WorkflowProcess | null = null;
  const stop = async (): Promise<void> => {
    const last = process;
    process = null;
    await last?.stop();
  };
  return {
    async acquire() {
      const before = lastReleased;
      let release = (): void => undefined;
      lastReleased = new Promise((resolve) => (release = resolve));
      await before;
      return {
        async restart() {
          await stop();
          return (process = await start());
        },
        async release() {
          await stop();
          release();
        },
      };
    },
    stop,
  };
}
