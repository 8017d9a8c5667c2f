import type { Approval } from 'holdfast/client';
import { useEffect, useState } from 'react';
import type { JSX } from 'react';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Status } from '../../parts/status.tsx';
import { visible } from '../../parts/visible.ts';
import { useKeptDraft } from '../../session/use-kept-draft.ts';
import { ChangedNotice } from './decide/changed-notice.tsx';
import { placeOf } from './decide/decision-draft.ts';
import type { Outcome } from './decide/decision-outcome.ts';
import { mainArguments } from './main-arguments.ts';
import { OutcomeNotice } from './decide/outcome-notice.tsx';

interface ApprovalHeadProps {
  readonly approval: Approval;
  /** What has come of a decision from here; `null`: none was sent. */
  readonly outcome: Outcome | null;
}

/** What an approval is about and what has become of it. It stays in sight while the rest moves. */
export function ApprovalHead({ approval, outcome }: ApprovalHeadProps): JSX.Element {
  const { title, status, tool, node, args, graph } = approval;
  const [wasPending] = useState(status === 'pending');
  const facts = [tool ?? node, ...mainArguments(args), ...(graph === undefined ? [] : [`in ${graph}`])];
  return (
    <div className="approval-head">
      <PageHeader title={title} about={<span className="approval-gist">{facts.map(visible).join(' · ')}</span>}>
        <Status of={status} />
      </PageHeader>
      <div className="approval-notices">
        {outcome && <OutcomeNotice outcome={outcome} approval={approval} />}
        {!outcome && wasPending && status !== 'pending' && (
          <Notice kind="info">It was decided while you looked at it: it is {status} by now.</Notice>
        )}
        {status !== 'pending' && <DroppedDraft key={status} approval={approval} />}
        <ChangedNotice approval={approval} />
      </div>
    </div>
  );
}

/** What was written for an approval that is closed decides nothing any more. */
function DroppedDraft({ approval: { id, digest } }: Pick<ApprovalHeadProps, 'approval'>): JSX.Element | null {
  const { found, outdated, drop } = useKeptDraft(placeOf(id), digest);
  const [hadDraft] = useState(found !== null || outdated !== null);
  useEffect(() => drop(), [drop]);
  return hadDraft ? <Notice kind="info">What you had written for it and not sent was dropped.</Notice> : null;
}
