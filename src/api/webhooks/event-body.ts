import { hideIntervention } from '../../graph/redaction/index.ts';
import { remainingBytes, toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { StoredWebhookEvent } from '../../store/webhooks/due-deliveries.ts';
import type { ApiDeps } from '../deps.ts';
import { hiddenFrom, redactApproval } from '../redaction.ts';
import { toRunJson } from '../runs/run-json.ts';

type BodyDeps = Pick<ApiDeps, 'store' | 'fingerprints'>;

/** Receivers see what a caller without `payload:read` sees. */
const RECEIVER = { permissions: new Set<never>() };

/**
 * Builds the body of an event: its subject in the most redacted public form.
 * @returns `null` when the run was deleted or the subject is not known
 */
export async function buildEventBody(deps: BodyDeps, event: StoredWebhookEvent): Promise<string | null> {
  const run = event.runId === null ? null : await deps.store.runs.find(event.runId);
  const data = run && (await readEventData(deps, run, event));
  return data && wrapEventData(event, data);
}

/** Wraps the data of an event in the format of Standard Webhooks. */
export function wrapEventData({ type, at }: Pick<StoredWebhookEvent, 'type' | 'at'>, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: at, data: boundData(data) });
}

async function readEventData(
  { store, fingerprints }: BodyDeps,
  run: RunRecord,
  { subject, subjectId }: StoredWebhookEvent,
): Promise<JsonObject | null> {
  const hidden = hiddenFrom(RECEIVER, run);
  const content =
    subject ?? (subjectId === null ? run.view : ((await store.approvals.find(subjectId))?.approval ?? null));
  if (!content) return null;
  if ('policy' in content) return toJsonObject(redactApproval(content, hidden, fingerprints));
  if ('usage' in content) {
    const view = { ...content, startedAt: run.view?.startedAt ?? null };
    return toJsonObject(toRunJson(run, RECEIVER, { view }));
  }
  const { kind: _kind, ...intervention } = hideIntervention(content, hidden);
  return toJsonObject({ runId: run.id, ...intervention });
}

/**
 * Larger data is sent without its large members: receivers expect small messages and can request the whole resource.
 */
const MAX_DATA_BYTES = 65_536;
const MAX_MEMBER_BYTES = 1_024;

function boundData(data: JsonObject): JsonObject {
  if (remainingBytes(MAX_DATA_BYTES, data) >= 0) return data;
  const members = Object.entries(data);
  const isSmall = ([, value]: (typeof members)[number]): boolean => remainingBytes(MAX_MEMBER_BYTES, value) >= 0;
  const omitted = members.filter((member) => !isSmall(member)).map(([name]) => name);
  return { ...Object.fromEntries(members.filter(isSmall)), omitted };
}
