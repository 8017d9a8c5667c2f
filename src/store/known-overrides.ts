import { setTimeout as sleep } from 'node:timers/promises';
import type { SwitchKey, Switch } from './switches.ts';
import type { TenantTerms } from './tenant-terms.ts';

/** The settings of administrators that apply to all runs at once. */
export interface CurrentOverrides {
  /** The switches that are off. */
  readonly switchedOff: readonly Switch[];
  readonly tenants: ReadonlyMap<string, TenantTerms>;
}

/** A cache of the overrides in this process. It reads the database on demand, at most once a second. */
export interface KnownOverrides {
  /**
   * Returns the overrides. While the database is unavailable or slow, it returns the last known ones.
   * @throws when none are known yet
   */
  now(): Promise<CurrentOverrides>;
  /** Invalidates the cache, so that the next call waits for the database. It is called after a change. */
  forget(): void;
}

/** Overrides that are older than this are read again in the background. */
const REFRESHED_AFTER_MS = 1_000;
/** While the database answers, a change of an override takes effect in each process after at most this time. */
const KNOWN_FOR_MS = 2_000;

/** If overrides are known, all waiting calls together wait at most this long for one answer of the database. */
const PATIENCE_MS = 500;

/** A read that the database has not answered yet. */
interface PendingRead {
  readonly answer: Promise<CurrentOverrides>;
  /** Resolves after `PATIENCE_MS`; then the known overrides are used instead of the answer. */
  readonly patience: Promise<void>;
}

/** @param read reads the overrides from the database @param clock returns milliseconds */
export function createKnownOverrides(
  read: () => Promise<CurrentOverrides>,
  clock: () => number = Date.now,
): KnownOverrides {
  let known: CurrentOverrides | null = null;
  /** The time of the read that returned the known overrides. */
  let readAt = Number.NEGATIVE_INFINITY;
  let pending: PendingRead | null = null;
  /** Increases with each `forget`, so that the answer to an earlier read is not cached. */
  let generation = 0;
  const readOnce = async (): Promise<CurrentOverrides> => {
    const started = { generation, at: clock() };
    const answer = await read().catch((error: unknown) => {
      if (known) return known;
      throw error;
    });
    if (started.generation !== generation) return answer;
    known = answer;
    readAt = started.at;
    return known;
  };
  const begin = (): PendingRead => {
    const started: PendingRead = { answer: readOnce(), patience: sleep(PATIENCE_MS, undefined, { ref: false }) };
    const settle = (): void => {
      if (pending === started) pending = null;
    };
    started.answer.then(settle, settle);
    return started;
  };
  return {
    async now() {
      const age = clock() - readAt;
      if (known && age < REFRESHED_AFTER_MS) return known;
      const { answer, patience } = (pending ??= begin());
      if (!known) return await answer;
      const last = known;
      return age < KNOWN_FOR_MS ? last : await Promise.race([answer, patience.then(() => last)]);
    },
    forget() {
      generation += 1;
      readAt = Number.NEGATIVE_INFINITY;
      pending = null;
    },
  };
}

/** Returns the switch that turns something off for a tenant; `null` when it is on. */
export function findSwitchedOff(
  { switchedOff: off }: CurrentOverrides,
  { kind, name }: SwitchKey,
  tenantId: string,
): Switch | null {
  return off.find((one) => one.kind === kind && one.name === name && isOffFor(one, tenantId)) ?? null;
}

export function isOffFor({ tenants }: Switch, tenantId: string): boolean {
  return tenants === null || tenants.includes(tenantId);
}
