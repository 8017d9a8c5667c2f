import { CancellationScope, sleep } from '@temporalio/workflow';

/** What waits for a later workflow task. */
export interface Pauses {
  add(resume: () => void): void;
  isEmpty(): boolean;
  /** Ends all pauses: another workflow task has begun. */
  end(): void;
  /** Ends them by a timer, which makes the workflow task end. */
  endByTimer(): void;
}

export function createPauses(): Pauses {
  let resumes: (() => void)[] = [];
  const end = (ended: readonly (() => void)[]): void => {
    for (const resume of ended) resume();
  };
  const takeAll = (): readonly (() => void)[] => {
    const taken = resumes;
    resumes = [];
    return taken;
  };
  return {
    add: (resume) => void resumes.push(resume),
    isEmpty: () => resumes.length === 0,
    end: () => end(takeAll()),
    endByTimer() {
      const taken = takeAll();
      if (taken.length > 0) void CancellationScope.nonCancellable(() => sleep(1)).then(() => end(taken));
    },
  };
}
