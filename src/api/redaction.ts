import { REDACTED, hideApproval, hideEvent, hideChannels, NOTHING_REDACTED } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { toPointer } from '../graph/values/index.ts';
import type { JsonObject, Json } from '../graph/values/index.ts';
import { ApiError } from './http/errors.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import type { Approval, PublicApproval } from '../graph/run/index.ts';
import type { Fingerprints } from './http/fingerprints.ts';
import type { RunRecord } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './http/authenticate.ts';

/**
 * Refuses values that a caller sends back in their redacted form, because they would overwrite the hidden values.
 * @param at the path of the values in the body
 * @throws ApiError 422 naming the channels
 */
export function refusePlaceholders(
  values: JsonObject,
  { channels }: Pick<Redaction, 'channels'>,
  at: readonly string[] = ['values'],
): void {
  const issues = channels
    .filter((name) => Object.hasOwn(values, name) && values[name] === REDACTED)
    .map((name) => ({
      path: toPointer([...at, name]),
      message: `"${REDACTED}" stands for a value that you may not see; leave "${name}" out to keep it`,
    }));
  if (issues.length > 0)
    throw new ApiError('INVALID_VALUES', 'Hidden values were sent back as they are shown', { issues });
}

/**
 * Redacts an approval. If anything was hidden, the digest is replaced by a fingerprint, which reveals nothing about the
 * hidden part.
 */
export function redactApproval(approval: Approval, hidden: Redaction, fingerprints: Fingerprints): PublicApproval {
  const redacted = hideApproval(approval, hidden);
  return redacted.digest === REDACTED ? { ...redacted, digest: redactedFingerprint(approval, fingerprints) } : redacted;
}

/** Redacts an event. */
export function redactEvent(event: RunEvent, hidden: Redaction, fingerprints: Fingerprints): RunEvent {
  const redacted = hideEvent(event, hidden);
  if (redacted.type !== 'approval.requested' || redacted.approval.digest !== REDACTED) return redacted;
  if (event.type !== 'approval.requested') return redacted;
  return { ...redacted, approval: { ...redacted.approval, digest: redactedFingerprint(event.approval, fingerprints) } };
}

function redactedFingerprint({ id, digest }: Pick<Approval, 'id' | 'digest'>, fingerprints: Fingerprints): string {
  return fingerprints.of('approval', [id, digest]);
}

/** Channel values, and writes that are not yet applied. */
interface StateToRedact {
  readonly values: JsonObject;
  readonly pending: readonly { readonly update: JsonObject }[];
}

/** Redacts a state. */
export function redactState<T extends StateToRedact>(state: T, hidden: Redaction): T {
  return {
    ...state,
    values: hideChannels(state.values, hidden),
    pending: state.pending.map((write) => ({ ...write, update: hideChannels(write.update, hidden) })),
  };
}

/** A channel whose values differ between two runs. */
interface StateDifference {
  readonly channel: string;
  readonly left: Json;
  readonly right: Json;
}

/** Redacts a comparison of two runs by the redaction of each of them. */
export function redactDiff<T extends { readonly state: readonly StateDifference[] }>(
  diff: T,
  hidden: readonly Redaction[],
): T {
  const isHidden = ({ channel }: StateDifference): boolean => hidden.some(({ channels }) => channels.includes(channel));
  const state = diff.state.map((one) => (isHidden(one) ? { ...one, left: REDACTED, right: REDACTED } : one));
  return { ...diff, state };
}

/**
 * Returns what is hidden from a caller: nothing for callers with `payload:read`; for all others the run's redaction and
 * stack traces.
 */
export function hiddenFrom(
  caller: Pick<Caller, 'permissions'>,
  { redaction }: Pick<RunRecord, 'redaction'>,
): Redaction {
  return seesPayloads(caller) ? NOTHING_REDACTED : { ...redaction, stacks: true };
}

export function seesPayloads({ permissions }: Pick<Caller, 'permissions'>): boolean {
  return permissions.has('payload:read') || permissions.has('admin');
}

/** A list item that belongs to a run. */
interface ItemOfRun {
  readonly runId: string;
}

/** Redacts an item. */
type RedactItem<Item, Redacted> = (item: Item, hidden: Redaction) => Redacted;

/** Redacts items of several runs for a caller. Items of runs that were deleted in the meantime are left out. */
export async function redactAll<Item extends ItemOfRun, Redacted>(
  { runs }: Pick<Store, 'runs'>,
  caller: Pick<Caller, 'permissions'>,
  items: readonly Item[],
  redact: RedactItem<Item, Redacted>,
): Promise<readonly Redacted[]> {
  if (seesPayloads(caller)) return items.map((item) => redact(item, NOTHING_REDACTED));
  const redactionOfRuns = await runs.redactionOfRuns([...new Set(items.map(({ runId }) => runId))]);
  return items.flatMap((item) => {
    const redaction = redactionOfRuns.get(item.runId);
    return redaction ? [redact(item, redaction)] : [];
  });
}
