import type { Bulk, BulkResult } from 'holdfast/client';
import { useState, useId } from 'react';
import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { describeSearch, toBulkFilter } from './run-query.ts';
import type { RunSearch } from './run-query.ts';
import { KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Notice, Problem } from '../../parts/notices.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { visible } from '../../parts/texts.ts';
import { Dialog } from './parts/dialog.tsx';

const ACTIONS: readonly BulkAction[] = ['pause', 'resume', 'retry', 'cancel'];

interface BulkActionsProps {
  readonly search: RunSearch;
  /** The ids of the selected runs; if empty, the action is for all runs of the search. */
  readonly chosen: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** The runs of an action, with a description. */
interface Target {
  readonly of: Pick<Bulk, 'ids' | 'filter'>;
  readonly description: string;
  readonly isAll: boolean;
}

/** Actions on many runs. Each shows a preview first. Without search and selection, the person has to ask for all runs explicitly. */
export function BulkActions({ search, chosen, onDone }: BulkActionsProps): JSX.Element {
  // The dialog keeps the runs that it was opened for.
  const [bulk, setBulk] = useState<BulkRequest | null>(null);
  const [wantsAll, setWantsAll] = useState(false);
  const target = targetOf(search, chosen);
  if (target.isAll && !wantsAll)
    return (
      <div className="row" role="group" aria-label="Actions on many runs">
        <span className="muted small-text">Tick runs, or look for some, to act on many at once.</span>
        <button type="button" className="button small quiet" onClick={() => setWantsAll(true)}>
          Act on all runs…
        </button>
      </div>
    );
  return (
    <div className="row" role="group" aria-label="Actions on many runs">
      <span className={target.isAll ? 'problem-text small-text' : 'muted small-text'}>{target.description}:</span>
      {ACTIONS.map((action) => (
        <button
          key={action}
          type="button"
          className={`button small${action === 'cancel' ? ' danger' : ''}`}
          onClick={() => setBulk({ action, ...target })}
        >
          {LABELS[action]}…
        </button>
      ))}
      {bulk && (
        <BulkDialog
          key={bulk.of.cursor}
          bulk={bulk}
          onClose={() => setBulk(null)}
          onDone={onDone}
          onNext={(cursor) => setBulk({ ...bulk, of: { ...bulk.of, cursor } })}
        />
      )}
    </div>
  );
}

function targetOf(search: RunSearch, chosen: ReadonlySet<string>): Target {
  if (chosen.size > 0) return { of: { ids: [...chosen] }, description: `${chosen.size} chosen`, isAll: false };
  const words = describeSearch(search);
  const of = { filter: toBulkFilter(search) };
  if (words === '') return { of, description: 'All runs of the tenant, without any filter', isAll: true };
  return { of, description: `All that are found by ${words}`, isAll: false };
}

type BulkAction = Bulk['action'];

const LABELS: Readonly<Record<BulkAction, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry',
  cancel: 'Cancel',
};

/** Actions for which the API stores a reason. */
const TAKES_REASON: ReadonlySet<BulkAction> = new Set(['cancel', 'pause']);
const MAX_REASON = 2_000;

/** Up to this number of runs, a press of the button confirms; for more, the person enters the number. */
const FEW: Readonly<Record<BulkAction, number>> = { pause: 10, resume: 10, retry: 10, cancel: 1 };

/** An action on the runs that were selected when its dialog opened. */
interface BulkRequest {
  readonly action: BulkAction;
  readonly of: Pick<Bulk, 'ids' | 'filter' | 'cursor'>;
  /** A description of the runs. */
  readonly description: string;
  /** True if neither search nor selection limits the runs. */
  readonly isAll: boolean;
}

interface BulkDialogProps {
  readonly bulk: BulkRequest;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** Continues with the runs beyond the limit of one request. */
  readonly onNext: (cursor: string) => void;
}

interface Confirmed {
  readonly ids: readonly string[];
  readonly reason: string;
}

/** A dialog that previews the runs of an action, and executes it on exactly these. */
function BulkDialog({
  bulk: { action, of, description, isAll },
  onClose,
  onDone,
  onNext,
}: BulkDialogProps): JSX.Element {
  const client = useApi();
  const dryRun = useQuery({
    queryKey: [...KEYS.opened, 'bulk', action, of],
    queryFn: async ({ signal }) => await client.runs.bulk({ action, ...of, dryRun: true }, { signal }),
    staleTime: 'static',
    gcTime: 0,
  });
  const perform = useAction({
    send: async (confirmed: Confirmed, options) => await client.runs.bulk(toRequest(action, confirmed), options),
    stale: [KEYS.runs],
    onDone,
  });
  const label = LABELS[action];
  const nextCursor = dryRun.data?.nextCursor ?? null;
  return (
    <Dialog title={`${label} many runs`} onClose={onClose}>
      {perform.answer ? (
        <BulkOutcome verb={`${label}: taken by`} result={perform.answer} />
      ) : (
        <QueryView query={dryRun} what="Trying it without doing anything">
          {(result) => (
            <>
              <p>
                <strong>{visible(description)}.</strong> Nothing is done yet. This is what would happen, to these runs
                only:
              </p>
              <BulkOutcome verb={`${label}: would be taken by`} result={result} />
              {perform.error !== null && <Problem error={perform.error} />}
              <ConfirmBulk
                action={action}
                ids={result.done}
                isAll={isAll}
                isSending={perform.isSending}
                onConfirm={perform.send}
              />
            </>
          )}
        </QueryView>
      )}
      {nextCursor !== null && (
        <button type="button" className="button" disabled={perform.isSending} onClick={() => onNext(nextCursor)}>
          Next runs…
        </button>
      )}
      <button type="button" className="button" onClick={onClose}>
        {perform.answer ? 'Close' : 'Leave it'}
      </button>
    </Dialog>
  );
}

/** Creates a request for the previewed runs; the search may find others by now. */
function toRequest(action: BulkAction, { ids, reason }: Confirmed): Bulk {
  return { action, ids: [...ids], ...(reason.trim() !== '' && { reason: reason.trim() }) };
}

interface ConfirmBulkProps {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly isAll: boolean;
  readonly isSending: boolean;
  readonly onConfirm: (confirmed: Confirmed) => void;
}

/** Fields for the reason, and for the number of runs if they are many. */
function ConfirmBulk({ action, ids, isAll, isSending, onConfirm }: ConfirmBulkProps): JSX.Element {
  const id = useId();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const count = ids.length;
  const needsNumber = count > 0 && (isAll || count > FEW[action]);
  const isConfirmed = !needsNumber || typed.trim() === String(count);
  const confirmed = { ids, reason };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (count > 0 && isConfirmed && !isSending) onConfirm(confirmed);
      }}
    >
      {TAKES_REASON.has(action) && count > 0 && (
        <div className="labelled">
          <label htmlFor={`${id}-reason`}>Why (each of the runs keeps it)</label>
          <input
            id={`${id}-reason`}
            value={reason}
            maxLength={MAX_REASON}
            autoComplete="off"
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
      )}
      {needsNumber && (
        <div className="labelled">
          <label htmlFor={`${id}-count`}>
            Type the number of the runs, {count}, to {LABELS[action].toLowerCase()} them all
          </label>
          <input
            id={`${id}-count`}
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      )}
      <div className="actions">
        <button
          type="submit"
          className={`button ${action === 'cancel' ? 'danger' : 'primary'}`}
          disabled={count === 0 || !isConfirmed || isSending}
        >
          {LABELS[action]} {countRuns(count)}
        </button>
        <CopyAsCurl request={{ method: 'POST', path: '/api/runs/bulk', body: toRequest(action, confirmed) }} />
      </div>
    </form>
  );
}

const MAX_ROWS = 50;

function BulkOutcome({ verb, result }: { readonly verb: string; readonly result: BulkResult }): JSX.Element {
  const { done, failed, hasMore, runs = [] } = result;
  const known = new Map(runs.map((run) => [run.id, run]));
  return (
    <>
      <Notice kind={failed.length > 0 ? 'warn' : 'info'}>
        {verb} {countRuns(done.length)}
        {failed.length > 0 && `, refused by ${countRuns(failed.length)}`}.
        {hasMore && ' More runs are found than one request takes.'}
      </Notice>
      <ul className="outcomes">
        {done.slice(0, MAX_ROWS).map((id) => {
          const run = known.get(id);
          return (
            <li key={id} className="row">
              {run && <Status of={run.status} />}
              {run && <strong>{visible(run.graph)}</strong>}
              <Link href={`/runs/${id}`} className="mono">
                {id}
              </Link>
            </li>
          );
        })}
        {failed.slice(0, MAX_ROWS).map(({ id, code, detail }) => (
          <li key={id}>
            <span className="mono">{id}</span> <strong>{code}</strong> {detail}
          </li>
        ))}
        {done.length > MAX_ROWS && <li className="muted">and {countRuns(done.length - MAX_ROWS)} more</li>}
      </ul>
    </>
  );
}

function countRuns(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
