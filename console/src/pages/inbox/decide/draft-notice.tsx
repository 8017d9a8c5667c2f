import type { JSX } from 'react';
import { JsonView } from '../../../parts/json-view.tsx';
import { Notice } from '../../../parts/notice.tsx';
import type { KeptDraft } from '../../../session/use-kept-draft.ts';
import type { DecisionDraft } from './decision-draft.ts';

interface DraftNoticeProps {
  readonly kept: KeptDraft<DecisionDraft>;
  /** Puts the form back as it was proposed. */
  readonly onEmpty: () => void;
}

/** Says that the form has what the person had written before, or that it has not, as the question is another by now. */
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
