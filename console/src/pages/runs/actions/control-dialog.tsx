import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import type { ShownRequest } from '../../../parts/to-curl.ts';
import { useExplanation } from '../history/use-run.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ControlFields } from './control-fields.tsx';
import { EMPTY_DRAFT, readBody, targetsOf } from './control-draft.ts';
import type { ControlDraft, Target } from './control-draft.ts';
import { effectsOf } from './controls-of.ts';
import type { Control } from './controls-of.ts';
import { LABELS } from './labels.ts';
import type { PreviewedAction } from './preview-of.ts';
import { PreviewView } from './preview-view.tsx';
import { Refusal } from './refusal.tsx';
import { useControl } from './use-control.ts';
import { isStale, useOpenedState } from './use-opened-state.ts';
import { usePreview } from './use-preview.ts';

interface ControlDialogProps {
  readonly run: Run;
  readonly control: Control;
  readonly onClose: () => void;
}

/** Asks what a control needs, and says what it would do. */
export function ControlDialog({ run, control, onClose }: ControlDialogProps): JSX.Element {
  const targets = useMemo(() => targetsOf(run), [run]);
  const [draft, setDraft] = useState<ControlDraft>({ ...EMPTY_DRAFT, target: targets[0]?.key ?? '' });
  const [isTried, setTried] = useState(false);
  const opened = useOpenedState(run.id, control === 'edit');
  const etag = opened.state?.etag;
  const read = readBody(control, draft, targets);
  const previewed = useMemo(() => toPreviewed(control, draft, targets), [control, draft, targets]);
  const preview = usePreview(run, previewed);
  const action = useControl({ runId: run.id, control, etag, onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if ('body' in read) action.send(read.body);
  };
  return (
    <Dialog title={`${LABELS[control]} ${run.graph.name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <ControlFields
          run={run}
          control={control}
          draft={draft}
          targets={targets}
          problems={isTried && 'problems' in read ? read.problems : {}}
          onChange={setDraft}
        />
        <Effects run={run} control={control} />
        <PreviewView preview={preview} />
        <Refusal
          error={action.error}
          opened={opened}
          onReadAgain={() => {
            opened.readAgain();
            action.forget();
          }}
        />
        <div className="actions">
          <button
            type="submit"
            className={`button ${control === 'cancel' ? 'danger' : 'primary'}`}
            disabled={action.isSending || isStale(action.error) || !opened.isReady}
          >
            {LABELS[control]}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Leave it
          </button>
          {'body' in read && <CopyAsCurl request={toRequest(run.id, { control, body: read.body, etag })} />}
        </div>
      </form>
    </Dialog>
  );
}

/** What the API says that a control does. */
function Effects({ run, control }: Omit<ControlDialogProps, 'onClose'>): JSX.Element | null {
  const { data: explanation } = useExplanation(run.id);
  if (!explanation) return null;
  return (
    <>
      {effectsOf(explanation, control).map((effect) => (
        <p key={effect}>{effect}</p>
      ))}
    </>
  );
}

function toPreviewed(control: Control, { target, node }: ControlDraft, targets: readonly Target[]): PreviewedAction {
  if (control === 'replan') return { kind: control, node: node === '' ? 'the chosen node' : node };
  if (control !== 'retry' && control !== 'skip' && control !== 'fail') return { kind: control };
  return { kind: control, node: targets.find(({ key }) => key === target)?.node ?? null };
}

interface Shown {
  readonly control: Control;
  readonly body: Readonly<Record<string, unknown>>;
  readonly etag: string | undefined;
}

function toRequest(runId: string, { control, body, etag = '*' }: Shown): ShownRequest {
  if (control !== 'edit') return { method: 'POST', path: `/api/runs/${runId}/${control}`, body };
  return { method: 'PATCH', path: `/api/runs/${runId}/state`, body, headers: { 'if-match': etag } };
}
