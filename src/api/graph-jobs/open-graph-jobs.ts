import { availableParallelism, totalmem } from 'node:os';
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { Piscina } from 'piscina';
import type { Catalog } from '../../graph/definition/index.ts';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import { ApiError, unavailableNow, retryAfter } from '../http/errors.ts';
import { openJobLimit } from './job-limit.ts';
import { limitMsOf } from './jobs.ts';
import type { GraphJobs } from './jobs.ts';

/** The resources for worker threads. */
export interface ThreadResources {
  readonly processors: number;
  /** The memory of the machine, or of the container. */
  readonly memoryMib: number;
}

const MOST = 4;
/** With fewer threads, one tenant could occupy all of them. */
const FEWEST = 2;
/** The memory that the process needs besides its threads. */
const OWN_MIB = 512;
const MIB = 1_048_576;

/** Returns how many threads may run at a time. @param heapMib the maximal heap of each thread */
export function countThreads(heapMib: number, { processors, memoryMib }: ThreadResources = resourcesHere()): number {
  const fitting = Math.floor((memoryMib - OWN_MIB) / heapMib);
  return Math.max(FEWEST, Math.min(MOST, processors, fitting));
}

/** Without a memory limit, Node returns 0 or more than any machine has. */
function resourcesHere(): ThreadResources {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem());
  return { processors: availableParallelism(), memoryMib: memory / MIB };
}

const IDLE_MS = 60_000;
/** The largest heap is needed for a replay of 64 MiB. */
const HEAP_MIB = 512;
const THREADS = countThreads(HEAP_MIB);
/** The time for the first thread to load its code, which is long on a busy machine. */
const READY_WITHIN_MS = 60_000;
/** The most jobs of one tenant that wait for a thread. */
const MAX_WAITING = 100;

interface ThreadOptions {
  /** The maximal heap of a thread, in MiB. */
  readonly heapMib?: number;
  /** Overrides the processor time of each job, in milliseconds. */
  readonly limitMs?: number;
}

/**
 * Opens worker threads for jobs on definitions and data of untrusted clients. A job that exceeds its limits ends only
 * its own thread.
 */
export function openGraphJobs(catalog: Catalog, options: ThreadOptions = {}): GraphJobs {
  const { heapMib = HEAP_MIB, limitMs } = options;
  const pool = new Piscina({
    filename: ownModule('./job-thread', import.meta.url),
    execArgv: [...ownNodeOptions()],
    name: 'doAssigned',
    workerData: catalog,
    minThreads: 1,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  });
  const thread = pLimit(THREADS);
  const limitTenant = createTenantLimit(THREADS - 1);
  return {
    do: async (name, tenantId, ...parameters) => {
      const inThread = async () => {
        const limit = openJobLimit(limitMs ?? limitMsOf(name));
        try {
          return await pool.run({ name, parameters, begun: limit.begun }, { signal: limit.signal });
        } catch (error) {
          if (limit.isStarved())
            throw unavailableNow('The machine has no time to check this; it may be sent again', error);
          throw isTooMuch(error) ? jobTooLarge(error) : error;
        } finally {
          limit.close();
        }
      };
      return await limitTenant(tenantId, async () => await thread(inThread));
    },
    ready: async () => {
      await pool.run(null, { name: 'reportReady', signal: AbortSignal.timeout(READY_WITHIN_MS) });
    },
    close: async () => await pool.destroy(),
  };
}

/** Limits the concurrent jobs of each tenant; further jobs wait until one of the same tenant ends. */
function createTenantLimit(atOnce: number): <T>(tenantId: string, work: () => Promise<T>) => Promise<T> {
  const byTenant = new Map<string, LimitFunction>();
  return async (tenantId, work) => {
    const limit = byTenant.get(tenantId) ?? pLimit(atOnce);
    byTenant.set(tenantId, limit);
    if (limit.pendingCount >= MAX_WAITING) throw tooManyJobs();
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) byTenant.delete(tenantId);
    }
  };
}

/** Returns true if a job was ended because of its time limit or its thread's memory. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');
}

function jobTooLarge(cause: unknown): ApiError {
  const message = 'The definition and its data need more time or memory than one request may have; make them simpler';
  return new ApiError('TOO_EXPENSIVE', message, { cause });
}

function tooManyJobs(): ApiError {
  const message = `${MAX_WAITING} requests of the tenant wait to be checked; send this one later`;
  return retryAfter(1, 'TOO_MANY_REQUESTS', message);
}
