import { setTimeout as sleep } from 'node:timers/promises';
import type { SwitchKey, Switch } from './switches.ts';
import type { TenantTerms } from './tenant-terms.ts';

/** What administrators have laid down while all runs. */
export interface Rulings {
  /** The switches that are off. */
  readonly switchedOff: readonly Switch[];
  readonly tenants: ReadonlyMap<string, TenantTerms>;
}

/** Rulings as this process knows them: it asks for them at most every two seconds, and while somebody wants to know. */
export interface KnownRulings {
  /** The rulings; while the database is away, the last that are known. @throws when none were ever known */
  now(): Promise<Rulings>;
  /** Lets the next question ask the database. */
  forget(): void;
}

/** A ruling counts in each process after this time at most. */
const KNOWN_FOR_MS = 2_000;

/** Nobody waits longer for a database that is slow, as long as something is known. */
const PATIENCE_MS = 500;

/**
 * @param read asks the database
 * @param clock returns milliseconds
 */
export function createKnownRulings(read: () => Promise<Rulings>, clock: () => number = Date.now): KnownRulings {
  let known: Rulings | null = null;
  let freshUntil = 0;
  let asking: Promise<Rulings> | null = null;
  /** Goes up with each `forget`: an answer to an earlier question is no news. */
  let generation = 0;
  const ask = async (): Promise<Rulings> => {
    const asked = { generation, at: clock() };
    const answer = await read().catch((error: unknown) => {
      if (known) return known;
      throw error;
    });
    if (asked.generation !== generation) return answer;
    known = answer;
    freshUntil = asked.at + KNOWN_FOR_MS;
    return known;
  };
  return {
    async now() {
      if (known && clock() < freshUntil) return known;
      const mine = (asking ??= ask());
      const over = (): void => {
        if (asking === mine) asking = null;
      };
      mine.then(over, over);
      if (!known) return await mine;
      return await Promise.race([mine, sleep(PATIENCE_MS, known, { ref: false })]);
    },
    forget() {
      generation += 1;
      freshUntil = 0;
      asking = null;
    },
  };
}

/** The switch that keeps a thing off for a tenant; `null`: it is on. */
export function switchedOff({ switchedOff: off }: Rulings, { kind, name }: SwitchKey, tenantId: string): Switch | null {
  return off.find((one) => one.kind === kind && one.name === name && isOffFor(one, tenantId)) ?? null;
}

export function isOffFor({ tenants }: Switch, tenantId: string): boolean {
  return tenants === null || tenants.includes(tenantId);
}
