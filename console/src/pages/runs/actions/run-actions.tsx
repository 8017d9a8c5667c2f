import type { Run, Recording } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { useMutation } from '@tanstack/react-query';
import { isEnded, useExplanation } from '../data/use-run.ts';
import { ControlDialog } from './control-dialog.tsx';
import { availableControls, LABELS } from './controls.ts';
import type { Control } from './controls.ts';
import { useApi } from '../../../api/use-api.tsx';
import { useForking } from '../../../session/use-session.ts';
import { CopyAsCurl, CopyButton } from '../../../parts/copy-button.tsx';
import { Notice, Problem } from '../../../parts/notices.tsx';
import { Dialog } from '../parts/dialog.tsx';

/** Buttons of the actions on a run. Each opens a dialog with a preview. */
export function RunActions({ run }: { readonly run: Run }): JSX.Element {
  const [open, setOpen] = useState<Control | 'promote' | null>(null);
  const close = (): void => setOpen(null);
  const { data: explanation } = useExplanation(run.id);
  const mayFork = useForking();
  return (
    <>
      {(explanation ? availableControls(explanation) : []).map((control) => (
        <button
          key={control}
          type="button"
          className={`button small${control === 'cancel' ? ' danger' : ''}`}
          onClick={() => setOpen(control)}
        >
          {LABELS[control]}…
        </button>
      ))}
      {mayFork && (
        <Link href={`/runs/${run.id}/state`} className="button small">
          Fork…
        </Link>
      )}
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

interface PromoteDialogProps {
  readonly run: Run;
  readonly onClose: () => void;
}

/** A dialog that explains how to make a test from a run, and offers its recording. */
function PromoteDialog({ run, onClose }: PromoteDialogProps): JSX.Element {
  const client = useApi();
  const command = `npx holdfast promote ${run.id} --to ${run.graph.name}-${run.id.slice(-6).toLowerCase()}.json`;
  const read = useMutation({
    mutationFn: async () => await client.runs.recording(run.id),
    onSuccess: (recording) => download(recording, `recording-${run.id}.json`),
  });
  return (
    <Dialog title="Promote to test" onClose={onClose}>
      <p>This command writes a test of the run, without what the run hides. It needs the permission payload:read.</p>
      <pre>
        <code>{command}</code>
      </pre>
      <p>
        <code>npx holdfast eval FILE</code> plays it without calling anything.
      </p>
      <Notice kind="warn">The recording, which is the raw material, has all payloads, hidden ones too.</Notice>
      {read.isError && <Problem error={read.error} />}
      <div className="actions">
        <CopyButton label="Copy the command" text={() => command} />
        <button type="button" className="button" disabled={read.isPending} onClick={() => read.mutate()}>
          Download the recording
        </button>
        <CopyAsCurl request={{ method: 'GET', path: `/api/runs/${run.id}/recording` }} />
      </div>
    </Dialog>
  );
}

function download(recording: Recording, name: string): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(recording, null, 1)], { type: 'application/json' }));
  const link = document.createElement('a');
  Object.assign(link, { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
