import type { ChildNode } from './child-node.ts';
import { descendantsNamed, send, untilExited } from './process-family.ts';
import type { Victim } from './victim.ts';

/** The workflow process of a worker, without the worker, which starts another one when necessary. */
export function codeProcessOf(worker: Pick<ChildNode, 'pid'>): Victim {
  let frozen: readonly number[] = [];
  const find = async (): Promise<readonly number[]> => await descendantsNamed(worker.pid, 'workflow-process');
  const kill = async (): Promise<void> => {
    const found = await find();
    for (const pid of found) send(pid, 'SIGKILL');
    await untilExited(found);
  };
  return {
    kill,
    stop: kill,
    start: async () => undefined,
    async suspend() {
      frozen = await find();
      for (const pid of frozen) send(pid, 'SIGSTOP');
    },
    resume: async () => {
      for (const pid of frozen) send(pid, 'SIGCONT');
    },
  };
}
