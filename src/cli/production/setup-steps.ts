import type { Connection } from '@temporalio/client';
import type { Kysely } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeNamespace, readNamespace, useDatabase, NoAnswerError, useTemporal } from './connections.ts';
import { formatRetention } from './doctor-check.ts';
import { messageOf } from '../../graph/values/index.ts';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import { findMissingAttributes, makeSearchAttributes } from '../../process/search-attributes.ts';
import type { SearchAttribute } from '../../process/search-attributes.ts';
import { isTemporalAway, readTemporalTarget } from '../../process/temporal.ts';
import type { TemporalConnection } from '../../process/temporal.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import { migrate, readMigrations } from '../../store/database/migrate.ts';
import type { Tables } from '../../store/tables.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';

/** One requirement that must be met before API and workers start. */
export interface SetupStep {
  readonly name: string;
  /** Checks the requirement and changes nothing. */
  readonly check: () => Promise<StepCheck>;
  /**
   * Creates what is missing; it also succeeds if another process creates it meanwhile.
   * @throws when a server refuses
   */
  readonly create: () => Promise<void>;
  /** The remedy for a person with more permissions than this process. */
  readonly remedy: string;
  /** True for errors of a server that may become available later. */
  readonly isAway: (error: unknown) => boolean;
}

/** The formatted result of a check. */
export interface StepCheck {
  readonly isThere: boolean;
  readonly what: string;
}

export interface SetupPlan {
  readonly environment: NodeJS.ProcessEnv;
  readonly databaseUrl: string;
  /** The retention of histories in a namespace that the setup creates. */
  readonly retentionMs: number;
}

type Temporal = TemporalConnection<Connection>;

/** The steps of a setup, in order. @throws SetupError when settings in the environment contradict each other */
export function setupSteps({ environment, databaseUrl, retentionMs }: SetupPlan): readonly SetupStep[] {
  const { namespace } = readTemporalTarget(environment);
  const at =
    <T>(use: (temporal: Temporal) => Promise<T>) =>
    async () =>
      await useTemporal(environment, use);
  return [
    {
      name: 'namespace',
      check: at(async (temporal) => await lookForNamespace(temporal, retentionMs)),
      create: at(async (temporal) => await makeNamespace(temporal, { retentionMs })),
      remedy: `have it made by who may: temporal operator namespace create -n ${namespace} --retention ${retentionMs / HOUR_MS}h; in Temporal Cloud, in its console or by tcld namespace create`,
      isAway: isServerAway,
    },
    {
      name: 'search attributes',
      check: at(lookForAttributes),
      create: at(async (temporal) => await makeSearchAttributes(temporal, await missingAttributes(temporal))),
      remedy: `have them made by who may; in Temporal Cloud, in its console or by tcld namespace search-attributes add --namespace ${namespace} ${ATTRIBUTE_FLAGS}`,
      isAway: isServerAway,
    },
    {
      name: 'tables',
      check: async () => await useDatabase(databaseUrl, lookForTables),
      create: async () => await useDatabase(databaseUrl, async (db) => await migrate(db)),
      remedy: 'set DATABASE_URL to a PostgreSQL 15 or later, and to a user that may create tables',
      isAway: isDatabaseAway,
    },
  ];
}

function isServerAway(error: unknown): boolean {
  return error instanceof NoAnswerError || isTemporalAway(error);
}

const HOUR_MS = 3_600_000;
const ATTRIBUTE_TYPE_NAMES = { KEYWORD: 'Keyword', INT: 'Int' } as const;
const ATTRIBUTE_FLAGS = Object.entries(SEARCH_ATTRIBUTES)
  .map(([name, type]) => `--sa ${name}=${ATTRIBUTE_TYPE_NAMES[type]}`)
  .join(' ');

async function lookForNamespace(temporal: Temporal, retentionMs: number): Promise<StepCheck> {
  const found = await readNamespace(temporal);
  const kept = formatRetention(found?.retentionMs ?? retentionMs);
  return { isThere: found !== null, what: `${temporal.namespace}, which keeps histories for ${kept}` };
}

async function lookForAttributes(temporal: Temporal): Promise<StepCheck> {
  const missing = await missingAttributes(temporal);
  const names = missing.length > 0 ? missing.map(([name]) => name) : Object.keys(SEARCH_ATTRIBUTES);
  return { isThere: missing.length === 0, what: names.join(', ') };
}

/** A namespace that does not exist yet has no search attributes. */
async function missingAttributes(temporal: Temporal): Promise<readonly SearchAttribute[]> {
  return await findMissingAttributes(temporal, SEARCH_ATTRIBUTES).catch((error: unknown) => {
    if (hasGrpcCode(error, 'NOT_FOUND')) return Object.entries(SEARCH_ATTRIBUTES);
    throw error;
  });
}

async function lookForTables(db: Kysely<Tables>): Promise<StepCheck> {
  const { done, missing } = await readMigrations(db);
  return { isThere: missing.length === 0, what: (missing.length > 0 ? missing : done).join(', ') };
}

interface StepOptions {
  /** True for a dry run, which creates nothing. */
  readonly isDry: boolean;
  /**
   * The time until which the step waits for an unavailable server, or for a change to become visible on all of its
   * nodes.
   */
  readonly untilMs: number;
}

/** The result of a step, as `holdfast setup --json` prints it. */
export type StepResult =
  | { readonly step: string; readonly state: 'there' | 'missing' | 'made'; readonly what: string }
  | { readonly step: string; readonly state: 'failed'; readonly problem: string; readonly remedy: string };

/** Formats the result of a step for people. */
export function formatStep(result: StepResult): string {
  const { step, state } = result;
  if (state === 'failed') return `FAIL     ${step}: ${result.problem}\n         ${result.remedy}\n`;
  return `${state.padEnd(STATE_WIDTH)}${step}: ${result.what}\n`;
}

const STATE_WIDTH = 9;

/**
 * Checks, creates what is missing, and checks again. An error of a server that is unavailable for too long, or that
 * refuses, is part of the result.
 */
export async function takeSetupStep(step: SetupStep, options: StepOptions): Promise<StepResult> {
  const { name, remedy } = step;
  return await tryStep(step, options).catch((error: unknown) => ({
    step: name,
    state: 'failed' as const,
    problem: messageOf(error),
    remedy,
  }));
}

async function tryStep(
  { name: step, check, create, isAway }: SetupStep,
  { isDry, untilMs }: StepOptions,
): Promise<StepResult> {
  const retried = async <T>(work: () => Promise<T>): Promise<T> => await retryUntil(untilMs, work, isAway);
  const { isThere, what } = await retried(check);
  if (isThere) return { step, state: 'there', what };
  if (isDry) return { step, state: 'missing', what };
  await retried(async () => await create().catch(ignoreIfCreatedByOther));
  const settledMs = Math.max(untilMs, Date.now() + SETTLES_WITHIN_MS);
  const requireCreated = async (): Promise<void> => {
    const after = await check();
    if (!after.isThere) throw new NotYetError(`${after.what} could not be made`);
  };
  await retryUntil(
    settledMs,
    requireCreated,
    (error) => error instanceof NotYetError || hasGrpcCode(error, 'NOT_FOUND') || isAway(error),
  );
  return { step, state: 'made', what };
}

/** A change takes some seconds to become visible on all nodes of a server. */
const SETTLES_WITHIN_MS = 30_000;
const STEP_RETRY_PAUSE_MS = 500;

class NotYetError extends Error {}

async function retryUntil<T>(
  untilMs: number,
  work: () => Promise<T>,
  mayPass: (error: unknown) => boolean,
): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() > untilMs) throw error;
      await sleep(STEP_RETRY_PAUSE_MS);
    }
}

function ignoreIfCreatedByOther(error: unknown): void {
  if (!hasGrpcCode(error, 'ALREADY_EXISTS')) throw error;
}
