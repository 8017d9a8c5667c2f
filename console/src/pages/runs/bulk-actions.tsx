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
  /** The ids of the runs that are ticked; none: all that the search finds. */
  readonly chosen: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** Which runs an action is for, and how that is said. */
interface Target {
  readonly of: Pick<Bulk, 'ids' | 'filter'>;
  readonly said: string;
  readonly isAll: boolean;
}

/** Actions on many runs. Each shows first what it would do. Without a search and without ticks, all runs have to be asked for. */
export function BulkActions({ search, chosen, onDone }: BulkActionsProps): JSX.Element {
  // What the dialog is for stays what it was when it opened.
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
      <span className={target.isAll ? 'problem-text small-text' : 'muted small-text'}>{target.said}:</span>
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
  if (chosen.size > 0) return { of: { ids: [...chosen] }, said: `${chosen.size} chosen`, isAll: false };
  const words = describeSearch(search);
  const of = { filter: toBulkFilter(search) };
  if (words === '') return { of, said: 'All runs of the tenant, without any filter', isAll: true };
  return { of, said: `All that are found by ${words}`, isAll: false };
}

export type BulkAction = Bulk['action'];

export const LABELS: Readonly<Record<BulkAction, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry',
  cancel: 'Cancel',
};

/** The API keeps why runs were stopped. */
const TAKES_REASON: ReadonlySet<BulkAction> = new Set(['cancel', 'pause']);
const MAX_REASON = 2_000;

/** So many runs are confirmed by a press of a button; more, and any that are canceled, by their number. */
const FEW: Readonly<Record<BulkAction, number>> = { pause: 10, resume: 10, retry: 10, cancel: 1 };

/** An action on the runs that were chosen when its dialog opened. */
export interface BulkRequest {
  readonly action: BulkAction;
  readonly of: Pick<Bulk, 'ids' | 'filter' | 'cursor'>;
  /** Which runs these are, in words. */
  readonly said: string;
  /** True: nothing narrows them down. */
  readonly isAll: boolean;
}

interface BulkDialogProps {
  readonly bulk: BulkRequest;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** Goes on after the runs that one request takes. */
  readonly onNext: (cursor: string) => void;
}

interface Confirmed {
  readonly ids: readonly string[];
  readonly reason: string;
}

/** Shows which runs an action would take, and has it take these and no others. */
export function BulkDialog({
  bulk: { action, of, said, isAll },
  onClose,
  onDone,
  onNext,
}: BulkDialogProps): JSX.Element {
  const client = useApi();
  const trial = useQuery({
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
  const nextCursor = trial.data?.nextCursor ?? null;
  return (
    <Dialog title={`${label} many runs`} onClose={onClose}>
      {perform.answer ? (
        <BulkOutcome verb={`${label}: taken by`} result={perform.answer} />
      ) : (
        <QueryView query={trial} what="Trying it without doing anything">
          {(result) => (
            <>
              <p>
                <strong>{visible(said)}.</strong> Nothing is done yet. This is what would happen, to these runs only:
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

/** The runs are those that were shown, whatever the search would find by now. */
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

/** Asks for the reason, and for the number of the runs where they are many. */
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

const SHOWN = 50;

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
        {done.slice(0, SHOWN).map((id) => {
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
        {failed.slice(0, SHOWN).map(({ id, code, detail }) => (
          <li key={id}>
            <span className="mono">{id}</span> <strong>{code}</strong> {detail}
          </li>
        ))}
        {done.length > SHOWN && <li className="muted">and {countRuns(done.length - SHOWN)} more</li>}
      </ul>
    </>
  );
}

function countRuns(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
