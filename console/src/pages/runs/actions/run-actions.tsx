import type { Run } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { isEnded, useExplanation } from '../history/use-run.ts';
import { PromoteDialog } from '../promote/promote-dialog.tsx';
import { ControlDialog } from './control-dialog.tsx';
import { controlsOf } from './controls-of.ts';
import type { Control } from './controls-of.ts';
import { LABELS } from './labels.ts';

/** What can be done with a run as it stands. Each action shows first what it would do. */
export function RunActions({ run }: { readonly run: Run }): JSX.Element {
  const [open, setOpen] = useState<Control | 'promote' | null>(null);
  const close = (): void => setOpen(null);
  const { data: explanation } = useExplanation(run.id);
  return (
    <>
      {(explanation ? controlsOf(explanation) : []).map((control) => (
        <button
          key={control}
          type="button"
          className={`button small${control === 'cancel' ? ' danger' : ''}`}
          onClick={() => setOpen(control)}
        >
          {LABELS[control]}…
        </button>
      ))}
      <Link href={`/runs/${run.id}/state`} className="button small">
        Fork…
      </Link>
      <Link href={`/runs/compare/${run.id}`} className="button small">
        Compare
      </Link>
      {isEnded(run) && (
        <button type="button" className="button small" onClick={() => setOpen('promote')}>
          Promote to test…
        </button>
      )}
      {open === 'promote' && <PromoteDialog run={run} onClose={close} />}
      {open !== null && open !== 'promote' && <ControlDialog run={run} control={open} onClose={close} />}
    </>
  );
}
