import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { CopyAsCurl } from '../../../parts/copy-button.tsx';
import { Notice, Problem } from '../../../parts/notices.tsx';
import type { ApiRequest } from '../../../parts/to-curl.ts';
import { useExplanation } from '../data/use-run.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ControlFields } from './control-fields.tsx';
import { EMPTY_DRAFT, readBody, lacksTarget } from './control-draft.ts';
import type { ControlDraft, DraftField, ReadBody } from './control-draft.ts';
import { effectsOf, LABELS } from './controls.ts';
import type { Control, Target } from './controls.ts';
import type { PreviewedAction } from './preview.ts';
import { PreviewView, usePreview } from './preview-view.tsx';
import { useControl, isStale, useOpenedState, useTargets } from './use-control.ts';
import type { OpenedState } from './use-control.ts';
import { DiffView } from '../../../parts/diff-view.tsx';

interface ControlDialogProps {
  readonly run: Run;
  readonly control: Control;
  readonly onClose: () => void;
}

/** The dialog of a control: its fields, and a preview. */
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
        <GoneNotice isGone={isGone} />
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
          isDisabled={action.isSending || isGone || isStale(action.error) || !opened.isReady}
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
  /** True while it cannot be sent. */
  readonly isDisabled: boolean;
  /** `null` if the fields are invalid. */
  readonly request: ApiRequest | null;
}

function Buttons({ control, isDisabled, request, onClose }: ButtonsProps): JSX.Element {
  return (
    <div className="actions">
      <button type="submit" className={`button ${control === 'cancel' ? 'danger' : 'primary'}`} disabled={isDisabled}>
        {LABELS[control]}
      </button>
      <button type="button" className="button" onClick={onClose}>
        Leave it
      </button>
      {request && <CopyAsCurl request={request} />}
    </div>
  );
}

function GoneNotice({ isGone }: { readonly isGone: boolean }): JSX.Element | null {
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

/** The effects of a control in the words of the API. */
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

interface ControlRequest {
  readonly control: Control;
  readonly body: Readonly<Record<string, unknown>>;
  readonly etag: string | undefined;
}

function toRequest(runId: string, { control, body, etag = '*' }: ControlRequest): ApiRequest {
  if (control !== 'edit') return { method: 'POST', path: `/api/runs/${runId}/${control}`, body };
  return { method: 'PATCH', path: `/api/runs/${runId}/state`, body, headers: { 'if-match': etag } };
}

interface RefusalProps {
  /** The error of a refused control; `null` if there is none. */
  readonly error: unknown;
  readonly opened: OpenedState;
  readonly onReadAgain: () => void;
}

/** Explains why a control was refused. If the state has changed since the dialog opened, it shows the differences. */
function Refusal({ error, opened, onReadAgain }: RefusalProps): JSX.Element | null {
  if (isStale(error))
    return (
      <Notice kind="warn">
        <strong>Somebody else has changed it</strong>
        <p>Nothing was written: since you opened this, a person or the run itself has made another state of it.</p>
        <button type="button" className="button small" onClick={onReadAgain}>
          Show what is different
        </button>
      </Notice>
    );
  return (
    <>
      {error !== null && <Problem error={error} />}
      <StateChanges opened={opened} onReadAgain={onReadAgain} />
    </>
  );
}

function StateChanges({ opened, onReadAgain }: Omit<RefusalProps, 'error'>): JSX.Element | null {
  const { state, before, error, isReady } = opened;
  if (error !== null) return <Problem error={error} onRetry={onReadAgain} />;
  if (before === null || state === undefined || !isReady) return null;
  return (
    <DiffView
      before={before.values}
      after={state.values}
      titles={['When you opened it', 'Now']}
      same="None of its values is different"
    />
  );
}
