import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { Notice } from '../../../parts/notice.tsx';
import type { ShownRequest } from '../../../parts/to-curl.ts';
import { useExplanation } from '../history/use-run.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ControlFields } from './control-fields.tsx';
import { EMPTY_DRAFT, readBody } from './control-draft.ts';
import type { ControlDraft, DraftField, ReadBody } from './control-draft.ts';
import { effectsOf } from './controls-of.ts';
import type { Control } from './controls-of.ts';
import { LABELS } from './labels.ts';
import type { PreviewedAction } from './preview-of.ts';
import { PreviewView } from './preview-view.tsx';
import { Refusal } from './refusal.tsx';
import type { Target } from './targets-of.ts';
import { useControl } from './use-control.ts';
import { isStale, useOpenedState } from './use-opened-state.ts';
import { usePreview } from './use-preview.ts';
import { useTargets } from './use-targets.ts';
import { lacksTarget } from './with-gone.ts';

interface ControlDialogProps {
  readonly run: Run;
  readonly control: Control;
  readonly onClose: () => void;
}

/** Asks what a control needs, and says what it would do. */
export function ControlDialog({ run, control, onClose }: ControlDialogProps): JSX.Element {
  const targets = useTargets(run);
  const [draft, setDraft] = useState(() => firstDraft(targets));
  const [isTried, setTried] = useState(false);
  const opened = useOpenedState(run.id, control === 'edit');
  const etag = opened.state?.etag;
  const read = readBody(control, draft, targets);
  const previewed = useMemo(() => toPreviewed(control, draft, targets), [control, draft, targets]);
  const preview = usePreview(run, previewed);
  const action = useControl({ runId: run.id, control, etag, onDone: onClose });
  const isGone = !action.isSending && lacksTarget(control, draft, targets);
  const body = 'body' in read && !isGone ? read.body : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (body) action.send(body);
  };
  return (
    <Dialog title={`${LABELS[control]} ${run.graph.name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <ControlFields
          run={run}
          control={control}
          draft={draft}
          targets={targets}
          problems={isTried ? problemsIn(read) : {}}
          onChange={setDraft}
        />
        <Gone isGone={isGone} />
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
        <Buttons
          control={control}
          isHeld={action.isSending || isGone || isStale(action.error) || !opened.isReady}
          request={body && toRequest(run.id, { control, body, etag })}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function firstDraft([first]: readonly Target[]): ControlDraft {
  return { ...EMPTY_DRAFT, target: first?.key ?? '' };
}

function problemsIn(read: ReadBody): Readonly<Partial<Record<DraftField, string>>> {
  return 'problems' in read ? read.problems : {};
}

interface ButtonsProps extends Pick<ControlDialogProps, 'control' | 'onClose'> {
  /** True: it can't be sent now. */
  readonly isHeld: boolean;
  /** `null`: something is wrong with it. */
  readonly request: ShownRequest | null;
}

function Buttons({ control, isHeld, request, onClose }: ButtonsProps): JSX.Element {
  return (
    <div className="actions">
      <button type="submit" className={`button ${control === 'cancel' ? 'danger' : 'primary'}`} disabled={isHeld}>
        {LABELS[control]}
      </button>
      <button type="button" className="button" onClick={onClose}>
        Leave it
      </button>
      {request && <CopyAsCurl request={request} />}
    </div>
  );
}

function Gone({ isGone }: { readonly isGone: boolean }): JSX.Element | null {
  if (!isGone) return null;
  return (
    <Notice kind="warn">
      <strong>What this was for is not there any more</strong>
      <p>
        Since you opened it, a person or the run itself has settled the failure, or it has failed anew. Nothing is sent.
      </p>
    </Notice>
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
