import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, seedOf } from '../support/builders/random.ts';
import type { Random } from '../support/builders/random.ts';
import type { Victim } from '../support/servers/victim.ts';

export type FaultKind = 'killed' | 'stopped' | 'restarted';

/** Processes that faults are injected into, by name. */
export type Victims = Readonly<Record<string, Victim>>;

export interface InjectedFault {
  readonly victim: string;
  readonly faultKind: FaultKind;
  /** The time since the start of the chaos test. */
  readonly atMs: number;
  readonly lastsMs: number;
}

/** Running fault injection. */
export interface Faults {
  readonly done: readonly InjectedFault[];
  /** Resolves when no process was suspended for a moment that could still continue. */
  untilSettled(): Promise<void>;
  /** Stops the faults; all processes run again then. */
  stop(): Promise<void>;
}

export interface FaultsOptions {
  readonly victims: Victims;
  readonly seed: number;
  /** Waits for a moment at which a call is open. */
  readonly delayCall: (skip: number, withinMs: number) => Promise<void>;
  /** Resolves when every running worker has completed the work that it had begun. */
  readonly settled: () => Promise<void>;
  readonly onFault: (fault: InjectedFault) => void;
}

/** The number of concurrent faults, each on another process, which is awaited until it is back. */
const CONCURRENT_FAULTS = 3;
/**
 * Faults are spaced by calls, so that runs progress on a slow machine, too; after a time without calls a fault is
 * injected anyway.
 */
const MAX_CALLS_BETWEEN = 10;
const CALL_WITHIN_MS = 40_000;
const MOST_PAUSE_MS = 1_000;
/** The time for messages of a worker from before it was settled to arrive. */
const SETTLED_AFTER_MS = 1_500;

/**
 * Injects faults at random moments until it is stopped: first each kind of fault into each kind of process, then random
 * ones. The seed determines everything except the exact moments.
 */
export function startFaults(options: FaultsOptions): Faults {
  const { victims, seed, delayCall, settled, onFault } = options;
  const startedAt = Date.now();
  const done: InjectedFault[] = [];
  const taken = new Set<string>();
  const due = firstRound(Object.keys(victims), createRandom(seedOf(seed, 'first round')));
  const end = new AbortController();
  let asleep = 0;
  let awakeSince = 0;
  const isAwake = (): boolean => asleep === 0 && Date.now() > awakeSince + SETTLED_AFTER_MS;

  const suspend = async (victim: Victim, lastsMs: number): Promise<void> => {
    asleep += 1;
    await victim.suspend();
    await pause(lastsMs);
    await victim.resume();
    await settled();
    asleep -= 1;
    awakeSince = Date.now();
  };
  const pause = async (ms: number): Promise<void> =>
    await sleep(ms, undefined, { signal: end.signal }).catch(() => undefined);
  const faultKinds: Readonly<Record<FaultKind, (victim: Victim, lastsMs: number) => Promise<void>>> = {
    async killed(victim, lastsMs) {
      await victim.kill();
      await pause(lastsMs);
      await victim.start();
    },
    stopped: suspend,
    async restarted(victim) {
      await victim.stop();
      await victim.start();
    },
  };
  const injectFault = async (random: Random): Promise<void> => {
    const targets = TARGETS.filter((target) => target in victims && !taken.has(target));
    if (targets.length === 0) return await pause(MOST_PAUSE_MS);
    const { name, faultKind } = takeDue(due, targets, random) ?? drawFault(targets, random);
    const lastsMs = Math.round(200 + random.next() ** 2 * MOST_MS[faultKind]);
    const victim = victims[name];
    if (!victim) return;
    const what = { victim: name, faultKind, atMs: Date.now() - startedAt, lastsMs };
    done.push(what);
    onFault(what);
    taken.add(name);
    await faultKinds[faultKind](victim, lastsMs);
    taken.delete(name);
  };
  const work = async (hand: number): Promise<void> => {
    const random = createRandom(seedOf(seed, 'hand', hand));
    const ended = once(end.signal, 'abort');
    for (;;) {
      await Promise.race([delayCall(Math.floor(random.next() * MAX_CALLS_BETWEEN), CALL_WITHIN_MS), ended]);
      if (random.next() < 0.5) await pause(random.next() * MOST_PAUSE_MS);
      if (end.signal.aborted) return;
      await injectFault(random);
    }
  };
  const working = Promise.all(Array.from({ length: CONCURRENT_FAULTS }, (_, hand) => work(hand)));
  // The caller that waits for the end receives the error.
  working.catch(() => undefined);
  return {
    done,
    async untilSettled() {
      while (!isAwake()) await sleep(100);
    },
    async stop() {
      end.abort();
      await working;
    },
  };
}

/** Workers are lost most often. The workflow process is a child process of its worker. */
const TARGETS = 'worker 1,worker 2,worker 1,worker 2,code 1,code 2,api 1,api 2,temporal,postgres'.split(',');
const FAULT_KINDS: readonly FaultKind[] = ['killed', 'killed', 'killed', 'stopped', 'stopped', 'restarted'];
const MOST_MS: Readonly<Record<FaultKind, number>> = { killed: 3_000, stopped: 6_000, restarted: 0 };

type Kind = 'worker' | 'code' | 'api' | 'temporal' | 'postgres';
const KINDS: readonly Kind[] = ['worker', 'code', 'api', 'temporal', 'postgres'];
const EACH_FAULT_KIND: readonly FaultKind[] = ['killed', 'stopped', 'restarted'];

/** Only its worker restarts the workflow process, so it is killed instead. */
function possibleFault(faultKind: FaultKind, kind: string): FaultKind {
  return kind === 'code' && faultKind === 'restarted' ? 'killed' : faultKind;
}

function drawFault(targets: readonly string[], random: Random): { name: string; faultKind: FaultKind } {
  const name = random.pick(targets);
  return { name, faultKind: possibleFault(random.pick(FAULT_KINDS), kindOf(name)) };
}

/** The kind of a process, by its name. */
export function kindOf(victim: string): string {
  return victim.replace(/ \d+$/, '');
}

interface DueFault {
  readonly kind: Kind;
  readonly faultKind: FaultKind;
}

/** Each kind of process with each kind of fault: kind by kind, each time with the next fault. */
export function firstRound(names: readonly string[], random: Random): DueFault[] {
  const kinds = random.shuffle(KINDS.filter((kind) => names.some((name) => kindOf(name) === kind)));
  const faultKinds = random.shuffle(EACH_FAULT_KIND);
  return faultKinds.flatMap((_, turn) =>
    kinds.flatMap((kind, at) =>
      faultKinds
        .slice((turn + at) % faultKinds.length)
        .slice(0, 1)
        .map((faultKind) => ({ kind, faultKind: possibleFault(faultKind, kind) })),
    ),
  );
}

/** Takes the first due fault that applies to one of these processes. */
function takeDue(
  due: DueFault[],
  targets: readonly string[],
  random: Random,
): { name: string; faultKind: FaultKind } | null {
  const ofKind = (kind: Kind): string[] => targets.filter((name) => kindOf(name) === kind);
  const at = due.findIndex(({ kind }) => ofKind(kind).length > 0);
  const [found] = at < 0 ? [] : due.splice(at, 1);
  return found ? { name: random.pick(ofKind(found.kind)), faultKind: found.faultKind } : null;
}
