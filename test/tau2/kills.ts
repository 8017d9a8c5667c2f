import { codeProcessOf } from '../support/servers/code-process.ts';
import type { Processes } from '../support/servers/processes.ts';
import type { Victim } from '../support/servers/victim.ts';

export type VictimName = 'worker' | 'workflow process' | 'API' | 'Temporal';

/** Kills processes one at a time, and starts each again. */
export interface Kills {
  /** The number of kills so far, those that are about to happen included. */
  readonly count: number;
  /** Kills a process like a power failure. @returns when it has ended; it is started without waiting for that */
  strike(name: VictimName): Promise<void>;
  /** Resolves when every killed process runs again. */
  settled(): Promise<void>;
}

export function openKills({ workers: [worker], apis: [api], temporal }: Processes): Kills {
  if (!worker || !api) throw new RangeError('There is no worker, or no API');
  const victims: Readonly<Record<VictimName, Pick<Victim, 'kill' | 'start'>>> = {
    worker,
    'workflow process': codeProcessOf(worker),
    API: api,
    Temporal: temporal,
  };
  let count = 0;
  let ready = Promise.resolve();
  return {
    get count() {
      return count;
    },
    async strike(name) {
      count += 1;
      const victim = victims[name];
      const ended = ready.then(async () => await victim.kill());
      ready = ended.then(async () => await victim.start());
      await ended;
    },
    settled: async () => await ready,
  };
}
