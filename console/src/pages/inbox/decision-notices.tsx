import { HoldfastError } from 'holdfast/client';
import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { Notice, Problem } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../parts/texts.ts';
import { argumentChanges, formatValue } from './arguments.ts';
import { JsonView } from '../../parts/json-view.tsx';
import type { KeptDraft } from '../../session/kept-drafts.ts';
import type { DecisionDraft, Outcome } from './decision.ts';
import { DiffView } from '../../parts/diff-view.tsx';

/** The number of changes in the notice; the form shows all of them. */
const MAX_ROWS = 4;

/** A notice that people have changed the arguments since the request: who, when, from what to what. */
export function ChangedNotice({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const changes = argumentChanges(approval);
  if (changes.length === 0) return null;
  return (
    <Notice kind="warn">
      <strong>The arguments are not those that were asked for</strong>
      <ul className="plain">
        {changes.map(({ by, at, rows }) => (
          <li key={`${by} ${at}`}>
            <strong>{visible(by)}</strong> (<Time at={at} />) changed{' '}
            {rows.slice(0, MAX_ROWS).map(({ path, before, after }, index) => (
              <span key={path}>
                {index > 0 && '; '}
                <span className="mono">{path === '' ? 'all of it' : visible(path.slice(1))}</span>, was{' '}
                <del>{visible(formatValue(before))}</del>, now <ins>{visible(formatValue(after))}</ins>
              </span>
            ))}
            {rows.length > MAX_ROWS && `; and ${rows.length - MAX_ROWS} more`}.
          </li>
        ))}
      </ul>
      {approval.status === 'pending' && (
        <p>
          Whoever approves now approves them as they have been changed. Title and details are still as they were asked.
        </p>
      )}
    </Notice>
  );
}

interface DraftNoticeProps {
  readonly kept: KeptDraft<DecisionDraft>;
  /** Resets the form to the proposed values. */
  readonly onEmpty: () => void;
}

/** A notice that the form has a restored draft, or that a draft is outdated because the approval has changed. */
export function DraftNotice({ kept: { found, outdated, drop }, onEmpty }: DraftNoticeProps): JSX.Element | null {
  if (found !== null)
    return (
      <Notice kind="info">
        What you had written here is back. Nothing of it was sent.
        <button
          type="button"
          className="button small"
          onClick={() => {
            drop();
            onEmpty();
          }}
        >
          Begin anew
        </button>
      </Notice>
    );
  if (outdated === null) return null;
  const { args, reason } = outdated;
  return (
    <Notice kind="warn">
      The question has changed since you wrote something for it. It was not taken over.
      <details>
        <summary>What you had written</summary>
        {args !== null && <JsonView value={args} />}
        {reason !== '' && <JsonView value={reason} />}
      </details>
      <button type="button" className="button small" onClick={drop}>
        Drop it
      </button>
    </Notice>
  );
}

interface OutcomeNoticeProps {
  readonly outcome: Outcome;
  /** The current approval. */
  readonly approval: Approval;
}

const DONE = { approve: 'You have approved it.', reject: 'You have rejected it.' } as const;

/** The outcome of a decision: counted, or refused because it was late, not the first, or the approval has changed. */
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
        before={visibleParts(seen)}
        after={visibleParts(approval)}
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

const visibleParts = ({ title, details, args }: Approval) => ({ title, details, args });
