import { createDispatcher } from '../../../src/api/webhooks/dispatcher.ts';
import { createFingerprints } from '../../../src/api/http/fingerprints.ts';
import { toApiSettings } from '../../../src/config/api-settings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { DispatcherTimes } from '../../../src/api/deps.ts';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import { createLogger } from '../../../src/process/logger.ts';
import type { NewRun } from '../../../src/store/accept-run.ts';
import type { Store } from '../../../src/store/store.ts';
import type { NewWebhook } from '../../../src/store/webhooks/webhooks.ts';
import { AT, aBatch, aNewRun, aView, writeTo } from '../builders/store-builders.ts';

export const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const MOST = 1_000;

/** Adds a webhook for failed runs. */
export async function addWebhook(store: Store, over: Partial<NewWebhook> & { id: string; url: string }): Promise<void> {
  const usual = { tenantId: 'acme', format: 'standard', linkBase: null, secret: SECRET, createdBy: 'ann' } as const;
  await store.webhooks.add({ ...usual, events: ['run.failed'], ...over }, MOST);
}

const FAILED = { type: 'run.failed', error: { code: 'INTERNAL', message: 'No.' } } as const;

/** Starts and fails a run. */
export async function failRun(store: Store, run: Partial<NewRun> & { id: string }): Promise<void> {
  await store.runs.create(aNewRun(run));
  await writeTo(store, run, aFailure());
}

export function aFailure(over: Partial<JournalBatch> = {}): JournalBatch {
  const events: RunEvent[] = [
    { seq: 1, at: AT, step: -1, type: 'run.started', graph: null, by: 'ann' },
    { seq: 2, at: AT, step: 0, ...FAILED },
  ];
  return aBatch([], { events, view: aView({ status: 'failed', error: FAILED.error, endedAt: AT }), ...over });
}

const NEVER = new AbortController().signal;

/** A dispatcher of one process that sends what is due when it is told to. @returns resolves when all is sent */
export function aDispatcher(
  store: Store,
  allow: readonly string[],
  times: Partial<DispatcherTimes> = {},
): { readonly round: () => Promise<void>; readonly begin: () => Promise<void>; readonly settled: () => Promise<void> } {
  const settings = toApiSettings(parseConfig('the test', { webhooks: { allow: [...allow] } }), {});
  const deps = { store, fingerprints: createFingerprints('secret'), logger: createLogger('silent'), settings };
  const dispatcher = createDispatcher(deps, { delaysMs: [0, 0], answerMs: 5_000, ...times });
  const begin = async (): Promise<void> => await dispatcher.round(NEVER);
  return {
    begin,
    settled: () => dispatcher.settled(),
    async round() {
      await begin();
      await dispatcher.settled();
    },
  };
}
