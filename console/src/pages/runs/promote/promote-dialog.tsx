import { useMutation } from '@tanstack/react-query';
import type { Recording, Run } from 'holdfast/client';
import type { JSX } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Dialog } from '../parts/dialog.tsx';

interface PromoteDialogProps {
  readonly run: Run;
  readonly onClose: () => void;
}

/** Says how a test is made of a run, and gives its recording. */
export function PromoteDialog({ run, onClose }: PromoteDialogProps): JSX.Element {
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
