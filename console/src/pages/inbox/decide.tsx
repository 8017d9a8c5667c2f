import { useQuery } from '@tanstack/react-query';
import type { Approval, Decision } from 'holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent, JSX, RefObject } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { diffRows } from '../../parts/diff-rows.ts';
import { hasProblems } from '../../form/read-form.ts';
import { showProblem, useForm } from '../../form/use-form.ts';
import type { Form } from '../../form/use-form.ts';
import { useHotkeys } from '../../parts/use-hotkeys.ts';
import { Icon } from '../../parts/icon.tsx';
import { Notice } from '../../parts/notices.tsx';
import { visible } from '../../parts/texts.ts';
import { useKeptDraft, useUnsaved } from '../../session/kept-drafts.ts';
import type { KeptDraft } from '../../session/kept-drafts.ts';
import { ConfirmDecision, useDecision } from './confirm-decision.tsx';
import { draftKeyOf, isAmong, issuesOf } from './decision.ts';
import type { DecisionDraft, Outcome } from './decision.ts';
import { DraftNotice } from './decision-notices.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { notesOnFields } from './arguments.ts';

interface DecideProps {
  readonly approval: Approval;
  readonly outcome: Outcome | null;
  readonly report: (outcome: Outcome) => void;
  /** Scrolls to the top. */
  readonly onScrollToTop: () => void;
}

type Choice = Decision['decision'];

/** The form of a decision: the arguments, the required values, and the two answers. All its requests share a key. */
export function Decide({ approval, outcome, report, onScrollToTop }: DecideProps): JSX.Element {
  const kept = useKeptDraft<DecisionDraft>(draftKeyOf(approval.id), approval.digest);
  const { argsForm, valuesForm, reason, setReason, empty } = useDecisionForms(approval, kept);
  const [choice, setChoice] = useState<Choice | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const deciding = useDecision(approval, (next) => {
    if (next.kind === 'decided') {
      kept.drop();
      empty();
    }
    report(next);
  });
  const isMine = useIsMine(approval);
  const decision = toDecision(choice ?? 'approve', { approval, reason, argsForm, valuesForm });

  const { args, decisionSchema } = approval;
  const isInvalid = hasProblems(...(args === null ? [] : [argsForm]), ...(decisionSchema === null ? [] : [valuesForm]));
  const unlessWrong = (next: Choice, go: () => void): void => {
    if (next === 'approve' && isInvalid) showProblem(form.current);
    else go();
  };
  const choose = (next: Choice): void => unlessWrong(next, () => setChoice(next));
  useEffect(() => {
    if (choice !== null) form.current?.querySelector<HTMLElement>('[name=reason]')?.focus();
  }, [choice]);
  useDecisionKeys(form, onScrollToTop, {
    a: () => choose('approve'),
    r: () => choose('reject'),
    e: () => form.current?.querySelector<HTMLElement>('.form input, .form select, .form textarea')?.focus(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (choice === null) choose('approve');
    else unlessWrong(choice, () => void deciding.send(decision));
  };
  if (isMine === false)
    return <Notice kind="info">This does not wait for you. It is decided by: {visible(approval.who ?? '')}.</Notice>;
  return (
    <form ref={form} className="card stack decide" noValidate onSubmit={submit} aria-label="Your decision">
      <DraftNotice kept={kept} onEmpty={empty} />
      <DecisionFields
        approval={approval}
        argsForm={argsForm}
        valuesForm={valuesForm}
        isInvalid={isInvalid}
        refused={outcome?.kind === 'refused' ? outcome.error : null}
      />
      {choice === null ? (
        <Answers onReject={() => choose('reject')} />
      ) : (
        <ConfirmDecision
          approval={approval}
          decision={decision}
          deciding={deciding}
          isInvalid={choice === 'approve' && isInvalid}
          reason={reason}
          onReason={setReason}
          onBack={() => setChoice(null)}
        />
      )}
    </form>
  );
}

function Answers({ onReject }: { readonly onReject: () => void }): JSX.Element {
  return (
    <div className="actions">
      <button type="submit" className="button primary">
        <Icon name="check" />
        Approve <kbd>a</kbd>
      </button>
      <button type="button" className="button danger" onClick={onReject}>
        <Icon name="cross" />
        Reject <kbd>r</kbd>
      </button>
    </div>
  );
}

interface DecisionForms {
  readonly argsForm: Form;
  readonly valuesForm: Form;
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  /** Resets everything to the proposal. */
  readonly empty: () => void;
}

/** The state of the form. It starts with the stored draft, and stores changes. */
function useDecisionForms(approval: Approval, { found, keep }: KeptDraft<DecisionDraft>): DecisionForms {
  const { args, argsSchema, decisionSchema } = approval;
  const argsForm = useForm(argsSchema, args, found?.args);
  const valuesForm = useForm(decisionSchema, undefined, found?.values);
  const [reason, setReason] = useState(found?.reason ?? '');
  const isWritten = argsForm.isTouched || valuesForm.isTouched || reason !== '';
  const draft: DecisionDraft = {
    args: argsForm.isTouched ? argsForm.draft : null,
    values: valuesForm.isTouched ? valuesForm.draft : null,
    reason,
  };
  const text = JSON.stringify(isWritten ? draft : null);
  useEffect(() => keep(JSON.parse(text)), [keep, text]);
  useUnsaved(isWritten);
  const empty = (): void => {
    argsForm.reset();
    valuesForm.reset();
    setReason('');
  };
  return { argsForm, valuesForm, reason, setReason, empty };
}

/** Keys decide only while the title and the top of the form are visible. Otherwise they scroll there first. */
function useDecisionKeys(
  form: RefObject<HTMLFormElement | null>,
  onScrollToTop: () => void,
  keys: Readonly<Record<string, () => void>>,
): void {
  const seen = Object.entries(keys).map(([key, act]) => [
    key,
    () => (isVisible(form.current) ? act() : onScrollToTop()),
  ]);
  useHotkeys(Object.fromEntries(seen));
}

interface Filled {
  readonly approval: Approval;
  readonly reason: string;
  readonly argsForm: Form;
  readonly valuesForm: Form;
}

/** Converts the form to a decision, without unchanged arguments. */
function toDecision(choice: Choice, { approval, reason, argsForm, valuesForm }: Filled): Decision {
  const isEdited = approval.args !== null && diffRows(approval.args, argsForm.value).length > 0;
  return {
    decision: choice,
    ...(reason.trim() !== '' && { reason: reason.trim() }),
    ...(choice === 'approve' && isEdited && { args: argsForm.value }),
    ...(choice === 'approve' && approval.decisionSchema !== null && { values: valuesForm.value }),
  };
}

/** True if the API lists the approval as the person's own; `null` or `undefined` if that is unknown. */
function useIsMine({ id, runId }: Approval): boolean | null | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.approvals, 'mine', runId, id],
    queryFn: async ({ signal }) =>
      await isAmong(client.approvals.list({ status: 'pending', mine: true, runId, limit: 100 }, { signal }), id),
  });
  return data;
}

/** The height of an element that has to be visible, in pixels. */
const ENOUGH = 24;

/** True if an element, or the top of a tall one, is visible. */
function isVisible(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  const { top, bottom, left, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  const low = Math.max(top, 0);
  const enough = Math.min(ENOUGH, height);
  const points = [low + enough / 2, Math.min(bottom, low + enough) - 1];
  // An element may be covered by another one, such as a sticky header.
  return points.every((y) => {
    const found = document.elementFromPoint(Math.max(left, 0) + Math.min(width, innerWidth) / 2, y);
    return found !== null && (element.contains(found) || found.contains(element));
  });
}

/** Scrolls the container of an element to the top: its pane, or the page on a small screen. */
export function scrollToTop(pane: HTMLElement | null): void {
  pane?.scrollTo({ top: 0 });
  if (pane && pane.getBoundingClientRect().top < 0) pane.scrollIntoView({ block: 'start' });
}

interface DecisionFieldsProps {
  readonly approval: Pick<Approval, 'args' | 'askedArgs' | 'decisions' | 'decisionSchema'>;
  readonly argsForm: Form;
  readonly valuesForm: Form;
  /** True if the forms are invalid. */
  readonly isInvalid: boolean;
  /** The error of a refused decision; `null` if there is none. */
  readonly refused: unknown;
}

/** The fields of a decision: arguments with their changes, and required values. */
function DecisionFields(props: DecisionFieldsProps): JSX.Element {
  const { approval, argsForm, valuesForm, isInvalid, refused } = props;
  const { args, decisionSchema } = approval;
  const notes = notesOnFields(approval);
  const isChanged = Object.keys(notes).length > 0;
  const untouched = isChanged ? 'As it was changed' : 'As proposed';
  const same = isInvalid ? 'Nothing is approved while something is wrong with a field' : untouched;
  return (
    <>
      {args !== null && (
        <>
          <SchemaForm form={argsForm} legend="Arguments" issues={issuesOf(refused, 'args')} notes={notes} />
          <div aria-live="polite">
            <DiffView
              before={args}
              after={argsForm.value}
              titles={[isChanged ? 'As changed' : 'Proposed', 'Yours']}
              same={same}
            />
          </div>
        </>
      )}
      {decisionSchema !== null && (
        <SchemaForm form={valuesForm} legend="What the decision brings" issues={issuesOf(refused, 'values')} />
      )}
    </>
  );
}
