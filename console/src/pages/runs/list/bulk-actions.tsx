import { useQuery } from '@tanstack/react-query';
import type { Bulk, BulkResult } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import { useApi } from '../../../api/use-api.ts';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { toBulkFilter } from './run-query.ts';
import type { RunSearch } from './run-query.ts';

type Action = Bulk['action'];

const ACTIONS: readonly Action[] = ['pause', 'resume', 'retry', 'cancel'];

const LABELS: Readonly<Record<Action, string>> = { pause: 'Pause', resume: 'Resume', retry: 'Retry', cancel: 'Cancel' };

interface BulkActionsProps {
  readonly search: RunSearch;
  /** The ids of the runs that are ticked; none: all that the search finds. */
  readonly chosen: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** Actions on many runs. Each shows first what it would do. */
export function BulkActions({ search, chosen, onDone }: BulkActionsProps): JSX.Element {
  // What the dialog is for stays what it was when it opened.
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const target = chosen.size > 0 ? { ids: [...chosen] } : { filter: toBulkFilter(search) };
  return (
    <div className="row" role="group" aria-label="Actions on many runs">
      <span className="muted small-text">{chosen.size > 0 ? `${chosen.size} chosen:` : 'All that are found:'}</span>
      {ACTIONS.map((one) => (
        <button
          key={one}
          type="button"
          className={`button small${one === 'cancel' ? ' danger' : ''}`}
          onClick={() => setBulk({ action: one, ...target })}
        >
          {LABELS[one]}…
        </button>
      ))}
      {bulk && (
        <BulkDialog
          key={bulk.cursor}
          bulk={bulk}
          onClose={() => setBulk(null)}
          onDone={onDone}
          onNext={(cursor) => setBulk({ ...bulk, cursor })}
        />
      )}
    </div>
  );
}

interface BulkDialogProps {
  readonly bulk: Bulk;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** Goes on after the runs that one request takes. */
  readonly onNext: (cursor: string) => void;
}

function BulkDialog({ bulk, onClose, onDone, onNext }: BulkDialogProps): JSX.Element {
  const client = useApi();
  const trial = useQuery({
    queryKey: [...KEYS.opened, 'bulk', bulk],
    queryFn: async ({ signal }) => await client.runs.bulk({ ...bulk, dryRun: true }, { signal }),
    staleTime: 'static',
    gcTime: 0,
  });
  const perform = useAction({
    send: async (ids: readonly string[], options) =>
      await client.runs.bulk({ action: bulk.action, ids: [...ids] }, options),
    stale: [KEYS.runs],
    onDone,
  });
  const label = LABELS[bulk.action];
  const nextCursor = trial.data?.nextCursor ?? null;
  return (
    <Dialog title={`${label} many runs`} onClose={onClose}>
      {perform.answer ? (
        <BulkOutcome verb={`${label}: taken by`} result={perform.answer} />
      ) : (
        <QueryView query={trial} what="Trying it without doing anything">
          {(result) => (
            <>
              <p>Nothing is done yet. This is what would happen:</p>
              <BulkOutcome verb={`${label}: would be taken by`} result={result} />
              {perform.error !== null && <Problem error={perform.error} />}
              <div className="actions">
                <button
                  type="button"
                  className={`button ${bulk.action === 'cancel' ? 'danger' : 'primary'}`}
                  disabled={result.done.length === 0 || perform.isSending}
                  onClick={() => perform.send(result.done)}
                >
                  {label} {countRuns(result.done.length)}
                </button>
                <CopyAsCurl
                  request={{ method: 'POST', path: '/api/runs/bulk', body: { action: bulk.action, ids: result.done } }}
                />
              </div>
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

const SHOWN = 50;

function BulkOutcome({ verb, result }: { readonly verb: string; readonly result: BulkResult }): JSX.Element {
  const { done, failed, hasMore } = result;
  return (
    <>
      <Notice kind={failed.length > 0 ? 'warn' : 'info'}>
        {verb} {countRuns(done.length)}
        {failed.length > 0 && `, refused by ${countRuns(failed.length)}`}.
        {hasMore && ' More runs are found than one request takes.'}
      </Notice>
      <ul className="outcomes">
        {done.slice(0, SHOWN).map((id) => (
          <li key={id}>
            <Link href={`/runs/${id}`} className="mono">
              {id}
            </Link>
          </li>
        ))}
        {failed.slice(0, SHOWN).map(({ id, code, detail }) => (
          <li key={id}>
            <span className="mono">{id}</span> <strong>{code}</strong> {detail}
          </li>
        ))}
      </ul>
    </>
  );
}

function countRuns(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
