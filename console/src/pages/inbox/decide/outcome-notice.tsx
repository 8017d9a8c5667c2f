import { HoldfastError } from 'holdfast/client';
import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { DiffView } from '../../../diff/diff-view.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { visible } from '../../../parts/visible.ts';
import type { Outcome } from './decision-outcome.ts';

interface OutcomeNoticeProps {
  readonly outcome: Outcome;
  /** The approval as it is now. */
  readonly approval: Approval;
}

const DONE = { approve: 'You have approved it.', reject: 'You have rejected it.' } as const;

/** Says what has come of a decision: that it counts, or who was first, that it was too late, or what has changed. */
export function OutcomeNotice({ outcome, approval }: OutcomeNoticeProps): JSX.Element {
  if (outcome.kind === 'decided')
    return (
      <Notice kind="ok">
        {DONE[outcome.decision]}
        {outcome.isOver ? ' The run goes on.' : ' It waits for others, too.'}
      </Notice>
    );
  const { error, seen } = outcome;
  const Refusal = error instanceof HoldfastError ? REFUSALS[error.code] : undefined;
  if (!Refusal || !(error instanceof HoldfastError)) return <Problem error={error} />;
  return (
    <Notice kind="warn">
      <Refusal error={error} seen={seen} approval={approval} />
    </Notice>
  );
}

interface RefusalProps {
  readonly error: HoldfastError;
  readonly seen: Approval;
  readonly approval: Approval;
}

const REFUSALS: Partial<Record<HoldfastError['code'], (props: RefusalProps) => JSX.Element>> = {
  ALREADY_DECIDED: ({ error }) => (
    <>
      <strong>Somebody was first</strong>
      <p>{visible(error.detail)}. Your decision was not taken.</p>
    </>
  ),
  APPROVAL_EXPIRED: ({ error }) => (
    <>
      <strong>It was too late</strong>
      <p>{visible(error.detail)}. It counts neither as approved nor as rejected by you.</p>
    </>
  ),
  APPROVAL_CANCELED: ({ error }) => (
    <>
      <strong>It is not asked any more</strong>
      <p>{visible(error.detail)}.</p>
    </>
  ),
  APPROVAL_CHANGED: ({ seen, approval }) => (
    <>
      <strong>It shows something else by now</strong>
      <p>Nothing was decided. Look at what has changed, and decide again.</p>
      <DiffView
        before={shownBy(seen)}
        after={shownBy(approval)}
        titles={['You have seen', 'Now']}
        same="It is read again"
      />
    </>
  ),
  IDEMPOTENCY_KEY_REUSED: () => (
    <>
      <strong>An earlier decision of yours has arrived</strong>
      <p>No answer had come to it. Look at what became of it below.</p>
    </>
  ),
  UNREACHABLE: ({ error }) => (
    <>
      <strong>No answer has come</strong>
      <p>{visible(error.detail)}. Send it again: whatever has arrived, one decision is made.</p>
    </>
  ),
  UNAVAILABLE: ({ error }) => (
    <>
      <strong>It is not known yet if it was taken</strong>
      <p>{visible(error.detail)}. Send it again: whatever has arrived, one decision is made.</p>
    </>
  ),
};

const shownBy = ({ title, details, args }: Approval) => ({ title, details, args });
