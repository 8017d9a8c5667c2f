import type { Approval, Decision } from 'holdfast/client';
import { useId, useState } from 'react';
import type { JSX, KeyboardEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { isDefinite } from '../../api/errors.ts';
import { isOutdated } from './decision.ts';
import type { Outcome } from './decision.ts';

interface ConfirmDecisionProps {
  readonly approval: Approval;
  readonly decision: Decision;
  readonly deciding: Deciding;
  /** True if the form is invalid. */
  readonly isInvalid: boolean;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly onBack: () => void;
}

const MAX_REASON = 2_000;

/** The last step of a decision: it asks for a reason and sends it. Enter sends, Escape cancels. */
export function ConfirmDecision(props: ConfirmDecisionProps): JSX.Element {
  const { approval, decision, deciding, isInvalid, reason, onReason, onBack } = props;
  const id = useId();
  const { requireReason = false } = approval.policy;
  const isApproval = decision.decision === 'approve';
  const verb = isApproval ? 'Approve' : 'Reject';
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // During composition, the keys belong to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      onBack();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <div className="stack confirm">
      <div className="field">
        <label htmlFor={id}>
          {isApproval ? 'Why it is right' : 'Why not'}
          {requireReason ? <span> (needed)</span> : <span className="muted"> (if you like)</span>}
        </label>
        <textarea
          id={id}
          name="reason"
          rows={2}
          maxLength={MAX_REASON}
          aria-required={requireReason}
          value={reason}
          onChange={(event) => onReason(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <div className="actions">
        <button
          type="submit"
          className={`button ${isApproval ? 'primary' : 'danger'}`}
          disabled={deciding.isSending || (requireReason && reason.trim() === '')}
        >
          {deciding.isSending ? 'Sending…' : label(verb, decision)} <kbd>Enter</kbd>
        </button>
        <button type="button" className="button quiet" onClick={onBack}>
          Back
        </button>
        {!isInvalid && (
          <CopyAsCurl
            request={{
              method: 'POST',
              path: `/api/approvals/${encodeURIComponent(approval.id)}/decision`,
              headers: { 'if-match': `"${approval.digest}"`, 'idempotency-key': deciding.key },
              body: decision,
            }}
          />
        )}
      </div>
    </div>
  );
}

function label(verb: string, { args }: Decision): string {
  return args === undefined ? verb : `${verb} with your arguments`;
}

/** Sends the decisions of one opened form. */
interface Deciding {
  /** The idempotency key of the next request. */
  readonly key: string;
  readonly isSending: boolean;
  readonly send: (decision: Decision) => Promise<void>;
}

/**
 * Sends the decision on the approval that was shown. Repeated requests of one form share an idempotency key and make one
 * decision; after a definite refusal the next request has a new key.
 */
export function useDecision(approval: Approval, report: (outcome: Outcome) => void): Deciding {
  const client = useApi();
  const queries = useQueryClient();
  const [key, setKey] = useState<string>(() => crypto.randomUUID());
  const [isSending, setSending] = useState(false);
  const send = async (decision: Decision): Promise<void> => {
    setSending(true);
    try {
      const decided = await client.approvals.decide(approval, decision, { idempotencyKey: key });
      report({ kind: 'decided', decision: decision.decision, isOver: decided.status !== 'pending' });
      // The answer lacks comments and progress, so the approval is loaded again.
      queries.setQueryData(KEYS.approval(approval.id), { ...approval, ...decided });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
    } catch (error) {
      if (isDefinite(error)) setKey(crypto.randomUUID());
      report({ kind: 'refused', error, seen: approval });
      if (isOutdated(error)) void queries.invalidateQueries({ queryKey: KEYS.approvals });
    } finally {
      setSending(false);
    }
  };
  return { key, isSending, send };
}
