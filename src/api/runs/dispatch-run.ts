import type { Beginning } from '../../graph/advance/index.ts';
import { isRedacting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { formatTimestamp } from '../../graph/values/index.ts';
import type { PendingStart } from '../../store/pending-starts.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { firstBeginning, inheritedChannels } from './thread-state.ts';

/** Another process may claim the dispatch after this time; a request to Temporal takes less. */
const LEASE_MS = 20_000;

/** Starts the workflow of an accepted run, unless it is queued, dispatched, or claimed by another process. */
export async function dispatchRun(
  { engine, store, interpreter }: Pick<ApiDeps, 'engine' | 'store' | 'interpreter'>,
  id: string,
): Promise<void> {
  const now = Date.now();
  const claimed = await store.pendingStarts.claim(id, formatTimestamp(now), formatTimestamp(now + LEASE_MS));
  const start: unknown = claimed?.start;
  if (!claimed || !isStart(start)) return;
  const { reopening, predecessorId, execution, queuedSignals } = claimed;
  const begin = isReopening(reopening) ? reopening : await firstBeginning(store, start, predecessorId);
  const redaction = await saveInheritedRedaction({ store, interpreter }, claimed, start);
  await engine.start({
    ...start,
    begin,
    execution,
    ...(isRedacting(redaction) && { redaction }),
    ...(execution === 1 && queuedSignals.length > 0 && { queuedSignals }),
  });
  await store.pendingStarts.complete(claimed, formatTimestamp(Date.now()));
}

/** Dispatches a run; after a failure the sweeper tries again. */
export async function tryDispatch(
  deps: Pick<ApiDeps, 'engine' | 'store' | 'interpreter' | 'logger'>,
  id: string,
): Promise<void> {
  await dispatchRun(deps, id).catch((error: unknown) =>
    deps.logger.warn({ error, run: id }, 'a run could not be dispatched yet'),
  );
}

/** A run of a thread hides what its predecessor hides, in channels of the same name and all that they lead to. */
async function saveInheritedRedaction(
  { store, interpreter }: Pick<ApiDeps, 'store' | 'interpreter'>,
  { id, execution, predecessorId, redaction }: PendingStart,
  { definition, catalog, identity: { tenantId } }: RunGraphInput,
): Promise<Redaction> {
  if (execution > 1 || predecessorId === null) return redaction;
  const inherited = await inheritedChannels(store, predecessorId);
  if (inherited.every((name) => redaction.channels.includes(name))) return redaction;
  const found = await interpreter.run('findRedaction', tenantId, { graph: { definition, catalog }, inherited });
  await store.runs.setRedaction(id, found);
  return found;
}

function isReopening(value: unknown): value is Beginning & { readonly kind: 'reopen' } {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'reopen';
}
