import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { createRandom, seedOf } from '../support/builders/random.ts';

/** The behavior of a service for one call. */
interface Behavior {
  readonly name: string;
  readonly weight: number;
  readonly beforeMs: number;
  /** True if the work is executed, whatever the response. */
  readonly works: boolean;
  readonly afterMs: number;
  /** The failure of the response; `null` returns the result of the work. */
  readonly fails: 429 | 500 | 503 | 'hangs up' | null;
}

const FINE: Behavior = { name: 'fine', weight: 60, beforeMs: 0, works: true, afterMs: 0, fails: null };

const BEHAVIORS: readonly Behavior[] = [
  FINE,
  { ...FINE, name: 'slow to begin', weight: 12, beforeMs: 500 },
  { ...FINE, name: 'slow to answer', weight: 12, afterMs: 500 },
  { ...FINE, name: 'busy', weight: 6, works: false, fails: 429 },
  { ...FINE, name: 'away', weight: 3, works: false, fails: 503 },
  { ...FINE, name: 'rude', weight: 3, works: false, fails: 'hangs up' },
  { ...FINE, name: 'confused after the work', weight: 3, fails: 500 },
  { ...FINE, name: 'rude after the work', weight: 3, fails: 'hangs up' },
  { ...FINE, name: 'too late after the work', weight: 2, afterMs: 3_500 },
];

/** A delayed call gets its response after this time. */
const DELAYED: Behavior = { ...FINE, name: 'caught', afterMs: 800 };

/** Calls for the same subject do not fail from this one on, so that no run fails by chance. */
const RELIABLE_FROM_CALL = 4;

/** The behaviors of a service, derived from a seed and the subject of the call. */
export interface Behaviors {
  /** Wraps the handler that executes the work. @param subjectOf returns the subject of a call */
  readonly middleware: (
    subjectOf: (context: Context<ServiceEnvironment>) => Promise<string>,
  ) => MiddlewareHandler<ServiceEnvironment>;
  /**
   * Delays the response to a call after the given number of calls; its work is executed at once.
   * @returns when its work is executed, or `withinMs` have passed
   */
  delayCall(skip: number, withinMs: number): Promise<void>;
}

export interface ServiceEnvironment {
  Bindings: HttpBindings;
}

interface PendingDelay {
  skip: number;
  readonly trigger: () => void;
}

/** @param canDelay returns whether a response for this subject may be delayed */
export function createBehaviors(seed: number, canDelay: (subject: string) => boolean = () => true): Behaviors {
  const counts = new Map<string, number>();
  const pendingDelays = new Set<PendingDelay>();
  const behaviorFor = (subject: string): Behavior => {
    const count = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, count);
    return count >= RELIABLE_FROM_CALL ? FINE : pick(createRandom(seedOf(seed, subject, count)).next());
  };
  /** Each call counts down all pending delays, and triggers at most one. */
  const takeDelay = (): PendingDelay | undefined => {
    const due = [...pendingDelays].find(({ skip }) => skip <= 0);
    for (const delayCall of pendingDelays) delayCall.skip -= 1;
    if (due) pendingDelays.delete(due);
    return due;
  };
  return {
    middleware: (subjectOf) => async (context, next) => {
      const subject = await subjectOf(context);
      const delayCall = canDelay(subject) ? takeDelay() : undefined;
      const mood = delayCall ? DELAYED : behaviorFor(subject);
      await sleep(mood.beforeMs);
      if (mood.works) await next();
      delayCall?.trigger();
      await sleep(mood.afterMs);
      if (mood.fails !== null) fail(context, mood.fails);
    },
    async delayCall(skip, withinMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        pendingDelays.add({
          skip,
          trigger() {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    },
  };
}

function pick(share: number): Behavior {
  let left = share * BEHAVIORS.reduce((sum, { weight }) => sum + weight, 0);
  return BEHAVIORS.find(({ weight }) => (left -= weight) < 0) ?? FINE;
}

function fail(context: Context<ServiceEnvironment>, how: NonNullable<Behavior['fails']>): void {
  if (how === 'hangs up') context.env.outgoing.destroy();
  context.res = undefined;
  context.res =
    how === 'hangs up'
      ? RESPONSE_ALREADY_SENT
      : new Response('Not now', { status: how, headers: { 'retry-after': '1' } });
}
