import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../builders/random.ts';

export interface PatientFetch {
  /** Sends a request until there is a final response, not only a refusal for the moment. */
  (url: URL, init: RequestInit): Promise<Response>;
}

/** Longer than the maximum of `Prefer: wait`. */
const ANSWER_WITHIN_MS = 12_000;
const PAUSE_MS = 400;

/**
 * Behaves like a client whose server may be unavailable: it tries several servers repeatedly.
 * @param heard receives the status of every response, `null` for a request without one
 */
export function createPatientFetch(
  baseUrls: readonly string[],
  random: Random,
  { giveUpAfterMs, heard }: { giveUpAfterMs: number; heard: (status: number | null) => void },
): PatientFetch {
  return async ({ pathname, search }, init) => {
    for (const deadline = Date.now() + giveUpAfterMs; ;) {
      const answer = await tryOnce(new URL(`${pathname}${search}`, random.pick(baseUrls)), init);
      heard(answer?.status ?? null);
      if (answer && isFinal(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`${init.method ?? 'GET'} ${pathname} had no answer for too long`);
      await sleep(PAUSE_MS * (0.5 + random.next()));
    }
  };
}

async function tryOnce(url: URL, init: RequestInit): Promise<Response | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { status, headers } = response;
    return new Response(await response.text(), { status, headers });
  } catch {
    return null;
  }
}

/** An API that asks for a later retry states a time. */
function isFinal({ ok, status, headers }: Response): boolean {
  return ok || (status < 500 && !headers.has('retry-after'));
}
