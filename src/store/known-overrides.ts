import { setTimeout as sleep } from 'node:timers/promises';
import type { SwitchKey, Switch } from './switches.ts';
import type { TenantTerms } from './tenant-terms.ts';

/** What administrators have laid down while all runs. */
export interface Overrides {
  /** The switches that are off. */
  readonly switchedOff: readonly Switch[];
  readonly tenants: ReadonlyMap<string, TenantTerms>;
}

/** Overrides as this process knows them. Only a question makes it ask the database, at most once a second. */
export interface KnownOverrides {
  /** The overrides; while the database is away or slow, the last that are known. @throws when none were ever known */
  now(): Promise<Overrides>;
  /** Makes the next question wait for the database, as after a change. */
  forget(): void;
}

/** Older overrides are read again, beside the questions. */
const REFRESHED_AFTER_MS = 1_000;
/** An override counts in each process after this time at most, while the database answers. */
const KNOWN_FOR_MS = 2_000;

/** All questions together wait no longer for one answer of the database, as long as something is known. */
const PATIENCE_MS = 500;

/** A question that the database has not answered yet. */
interface Asking {
  readonly answer: Promise<Overrides>;
  /** Settles after `PATIENCE_MS`, when the overrides that are known are taken instead of the answer. */
  readonly patience: Promise<void>;
}

/**
 * @param read asks the database
 * @param clock returns milliseconds
 */
export function createKnownOverrides(read: () => Promise<Overrides>, clock: () => number = Date.now): KnownOverrides {
  let known: Overrides | null = null;
  /** The time when the database was asked for what is known. */
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Asking | null = null;
  /** Goes up with each `forget`: an answer to an earlier question is not kept. */
  let generation = 0;
  const ask = async (): Promise<Overrides> => {
    const asked = { generation, at: clock() };
    const answer = await read().catch((error: unknown) => {
      if (known) return known;
      throw error;
    });
    if (asked.generation !== generation) return answer;
    known = answer;
    askedAt = asked.at;
    return known;
  };
  const begin = (): Asking => {
    const mine: Asking = { answer: ask(), patience: sleep(PATIENCE_MS, undefined, { ref: false }) };
    const over = (): void => {
      if (asking === mine) asking = null;
    };
    mine.answer.then(over, over);
    return mine;
  };
  return {
    async now() {
      const age = clock() - askedAt;
      if (known && age < REFRESHED_AFTER_MS) return known;
      const { answer, patience } = (asking ??= begin());
      if (!known) return await answer;
      const last = known;
      return age < KNOWN_FOR_MS ? last : await Promise.race([answer, patience.then(() => last)]);
    },
    forget() {
      generation += 1;
      askedAt = Number.NEGATIVE_INFINITY;
      asking = null;
    },
  };
}

/** The switch that keeps a thing off for a tenant; `null`: it is on. */
export function switchedOff({ switchedOff: off }: Overrides, { kind, name }: SwitchKey, tenantId: string): Switch | null {
  return off.find((one) => one.kind === kind && one.name === name && isOffFor(one, tenantId)) ?? null;
}

export function isOffFor({ tenants }: Switch, tenantId: string): boolean {
  return tenants === null || tenants.includes(tenantId);
}
