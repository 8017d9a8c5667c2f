import { useQuery } from '@tanstack/react-query';
import type { Approval, Decision } from 'holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { diffRows } from '../../diff/diff-rows.ts';
import { hasProblems } from '../../form/has-problems.ts';
import { showProblem } from '../../form/show-problem.ts';
import { useForm } from '../../form/use-form.ts';
import type { Form } from '../../form/use-form.ts';
import { useHotkeys } from '../../live/use-hotkeys.ts';
import { Icon } from '../../parts/icon.tsx';
import { Notice } from '../../parts/notice.tsx';
import { visible } from '../../parts/visible.ts';
import { ConfirmDecision } from './confirm-decision.tsx';
import { DecisionFields } from './decision-fields.tsx';
import type { Outcome } from './decision-outcome.ts';
import { isAmong } from './is-among.ts';
import { useDecision } from './use-decision.ts';

interface DecideProps {
  readonly approval: Approval;
  readonly outcome: Outcome | null;
  readonly tell: (outcome: Outcome) => void;
}

type Choice = Decision['decision'];

/** The form of a decision: the arguments, what it must bring, and the two answers. One key for all that it sends. */
export function Decide({ approval, outcome, tell }: DecideProps): JSX.Element {
  const { args, argsSchema, decisionSchema } = approval;
  const argsForm = useForm(argsSchema, args);
  const valuesForm = useForm(decisionSchema, undefined);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [reason, setReason] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const deciding = useDecision(approval, tell);
  const isMine = useIsMine(approval);
  const decision = toDecision(choice ?? 'approve', { approval, reason, argsForm, valuesForm });

  const isWrong = hasProblems(...(args === null ? [] : [argsForm]), ...(decisionSchema === null ? [] : [valuesForm]));
  const unlessWrong = (next: Choice, go: () => void): void => {
    if (next === 'approve' && isWrong) showProblem(form.current);
    else go();
  };
  const choose = (next: Choice): void => unlessWrong(next, () => setChoice(next));
  useEffect(() => {
    if (choice !== null) form.current?.querySelector<HTMLElement>('[name=reason]')?.focus();
  }, [choice]);
  useHotkeys({
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
      <DecisionFields
        approval={approval}
        argsForm={argsForm}
        valuesForm={valuesForm}
        isWrong={isWrong}
        refused={outcome?.kind === 'refused' ? outcome.error : null}
      />
      {choice === null ? (
        <div className="actions">
          <button type="submit" className="button primary">
            <Icon name="check" />
            Approve <kbd>a</kbd>
          </button>
          <button type="button" className="button danger" onClick={() => choose('reject')}>
            <Icon name="cross" />
            Reject <kbd>r</kbd>
          </button>
        </div>
      ) : (
        <ConfirmDecision
          approval={approval}
          decision={decision}
          deciding={deciding}
          isWrong={choice === 'approve' && isWrong}
          reason={reason}
          onReason={setReason}
          onBack={() => setChoice(null)}
        />
      )}
    </form>
  );
}

interface Filled {
  readonly approval: Approval;
  readonly reason: string;
  readonly argsForm: Form;
  readonly valuesForm: Form;
}

/** Arguments that are as proposed are not sent. */
function toDecision(choice: Choice, { approval, reason, argsForm, valuesForm }: Filled): Decision {
  const isEdited = approval.args !== null && diffRows(approval.args, argsForm.value).length > 0;
  return {
    decision: choice,
    ...(reason.trim() !== '' && { reason: reason.trim() }),
    ...(choice === 'approve' && isEdited && { args: argsForm.value }),
    ...(choice === 'approve' && approval.decisionSchema !== null && { values: valuesForm.value }),
  };
}

/** If it waits for the person, as the API sees it; `null` and `undefined`: that is not known. */
function useIsMine({ id, runId }: Approval): boolean | null | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.approvals, 'mine', runId, id],
    queryFn: async ({ signal }) =>
      await isAmong(client.approvals.list({ status: 'pending', mine: true, runId, limit: 100 }, { signal }), id),
  });
  return data;
}
