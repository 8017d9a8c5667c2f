import { hideIntervention } from '../../graph/redaction/index.ts';
import { remainingBytes, toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { StoredWebhookEvent } from '../../store/webhooks/due-deliveries.ts';
import type { ApiDeps } from '../deps.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownApproval } from '../redaction/shown-approval.ts';
import { toRunJson } from '../runs/run-json.ts';

type BodyDeps = Pick<ApiDeps, 'store' | 'seals'>;

/** A receiver sees of a run what a caller without `payload:read` sees. */
const RECEIVER = { permissions: new Set<never>() };

/**
 * Makes the body of an event: its subject as the API shows it to those who see least.
 * @returns `null`: the run is deleted, or what the event is about is not known
 */
export async function makeBody(deps: BodyDeps, event: StoredWebhookEvent): Promise<string | null> {
  const run = event.runId === null ? null : await deps.store.runs.find(event.runId);
  const data = run && (await dataOf(deps, run, event));
  return data && bodyOf(event, data);
}

/** The body of an event with its data, as Standard Webhooks have it. */
export function bodyOf({ type, at }: Pick<StoredWebhookEvent, 'type' | 'at'>, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: at, data: bounded(data) });
}

async function dataOf(
  { store, seals }: BodyDeps,
  run: RunRecord,
  { subject, subjectId }: StoredWebhookEvent,
): Promise<JsonObject | null> {
  const hidden = hiddenFrom(RECEIVER, run);
  const told = subject ?? (subjectId === null ? run.view : ((await store.approvals.find(subjectId))?.approval ?? null));
  if (!told) return null;
  if ('policy' in told) return toJsonObject(shownApproval(told, hidden, seals));
  if ('usage' in told) {
    const view = { ...told, startedAt: run.view?.startedAt ?? null };
    return toJsonObject(toRunJson(run, RECEIVER, { view }));
  }
  const { kind: _kind, ...intervention } = hideIntervention(told, hidden);
  return toJsonObject({ runId: run.id, ...intervention });
}

/** Larger data goes without its large members: receivers expect small messages, and can ask for the whole. */
const MAX_DATA_BYTES = 65_536;
const MAX_MEMBER_BYTES = 1_024;

function bounded(data: JsonObject): JsonObject {
  if (remainingBytes(MAX_DATA_BYTES, data) >= 0) return data;
  const members = Object.entries(data);
  const isSmall = ([, value]: (typeof members)[number]): boolean => remainingBytes(MAX_MEMBER_BYTES, value) >= 0;
  const omitted = members.filter((member) => !isSmall(member)).map(([name]) => name);
  return { ...Object.fromEntries(members.filter(isSmall)), omitted };
}
