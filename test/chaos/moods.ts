import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { createRandom, seedOf } from '../support/builders/random.ts';

/** The behavior of a service for one call. */
interface Mood {
  readonly name: string;
  readonly weight: number;
  readonly beforeMs: number;
  /** True if the work is executed, whatever the response. */
  readonly works: boolean;
  readonly afterMs: number;
  /** The failure of the response; `null` returns the result of the work. */
  readonly fails: 429 | 500 | 503 | 'hangs up' | null;
}

const FINE: Mood = { name: 'fine', weight: 60, beforeMs: 0, works: true, afterMs: 0, fails: null };

const MOODS: readonly Mood[] = [
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

/** An ambushed call waits this long for its response. */
const CAUGHT: Mood = { ...FINE, name: 'caught', afterMs: 800 };

/** From this call for the same subject on, nothing fails any more, so that no run fails by chance. */
const PATIENCE = 4;

/** The behaviors of a service, derived from a seed and the subject of the call. */
export interface Moods {
  /** Wraps the handler that executes the work. @param subjectOf returns the subject of a call */
  readonly middleware: (
    subjectOf: (context: Context<MoodyEnvironment>) => Promise<string>,
  ) => MiddlewareHandler<MoodyEnvironment>;
  /**
   * Ambushes a call after the given number of calls: its work is executed, and its response is delayed.
   * @returns when its work is executed, or `withinMs` have passed
   */
  ambush(skip: number, withinMs: number): Promise<void>;
}

export interface MoodyEnvironment {
  Bindings: HttpBindings;
}

interface Ambush {
  skip: number;
  readonly spring: () => void;
}

/** @param isPrey returns whether an ambush applies to a call with this subject */
export function createMoods(seed: number, isPrey: (subject: string) => boolean = () => true): Moods {
  const counts = new Map<string, number>();
  const ambushes = new Set<Ambush>();
  const moodFor = (subject: string): Mood => {
    const count = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, count);
    return count >= PATIENCE ? FINE : pick(createRandom(seedOf(seed, subject, count)).next());
  };
  /** Each call counts down all ambushes, and triggers at most one. */
  const takeAmbush = (): Ambush | undefined => {
    const due = [...ambushes].find(({ skip }) => skip <= 0);
    for (const ambush of ambushes) ambush.skip -= 1;
    if (due) ambushes.delete(due);
    return due;
  };
  return {
    middleware: (subjectOf) => async (context, next) => {
      const subject = await subjectOf(context);
      const ambush = isPrey(subject) ? takeAmbush() : undefined;
      const mood = ambush ? CAUGHT : moodFor(subject);
      await sleep(mood.beforeMs);
      if (mood.works) await next();
      ambush?.spring();
      await sleep(mood.afterMs);
      if (mood.fails !== null) fail(context, mood.fails);
    },
    async ambush(skip, withinMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        ambushes.add({
          skip,
          spring() {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    },
  };
}

function pick(share: number): Mood {
  let left = share * MOODS.reduce((sum, { weight }) => sum + weight, 0);
  return MOODS.find(({ weight }) => (left -= weight) < 0) ?? FINE;
}

function fail(context: Context<MoodyEnvironment>, how: NonNullable<Mood['fails']>): void {
  if (how === 'hangs up') context.env.outgoing.destroy();
  context.res = undefined;
  context.res =
    how === 'hangs up'
      ? RESPONSE_ALREADY_SENT
      : new Response('Not now', { status: how, headers: { 'retry-after': '1' } });
}
