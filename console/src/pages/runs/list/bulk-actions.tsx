import type { Bulk } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { BulkDialog, LABELS } from './bulk-dialog.tsx';
import type { BulkAction, WantedBulk } from './bulk-dialog.tsx';
import { tellSearch, toBulkFilter } from './run-query.ts';
import type { RunSearch } from './run-query.ts';

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
  const [bulk, setBulk] = useState<WantedBulk | null>(null);
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
  const words = tellSearch(search);
  const of = { filter: toBulkFilter(search) };
  if (words === '') return { of, said: 'All runs of the tenant, without any filter', isAll: true };
  return { of, said: `All that are found by ${words}`, isAll: false };
}
