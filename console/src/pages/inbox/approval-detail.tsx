import { useQuery } from '@tanstack/react-query';
import type { Approval } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useHotkeys } from '../../live/use-hotkeys.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { AboutIt } from './about-it.tsx';
import { Comments } from './comments.tsx';
import { Decide } from './decide.tsx';
import type { Outcome } from './decision-outcome.ts';
import { Decisions } from './decisions.tsx';
import { Details } from './details.tsx';
import { HandOn } from './hand-on.tsx';
import { ModelSaid } from './model-said.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';
import { WhereItWaits } from './where-it-waits.tsx';

/** One approval: what is asked, by whom and of whom, and the decision. */
export function ApprovalDetail({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const search = useSearch();
  const query = useQuery({
    queryKey: KEYS.approval(id),
    queryFn: async ({ signal }) => await client.approvals.get(id, { signal }),
  });
  const [, navigate] = useLocation();
  const toList = `/inbox${search === '' ? '' : `?${search}`}`;
  useHotkeys({ Escape: () => navigate(toList) });
  return (
    <article className="stack">
      <Link href={toList} className="inbox-back">
        Back to the list
      </Link>
      <QueryView query={query} what="Opening the approval">
        {(approval) => <Opened approval={approval} />}
      </QueryView>
    </article>
  );
}

function Opened({ approval }: { readonly approval: Approval }): JSX.Element {
  const { title, details, args, status, runId, requestedAt } = approval;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [wasPending] = useState(status === 'pending');
  return (
    <>
      <PageHeader title={title}>
        <Status of={status} />
      </PageHeader>
      {outcome && <OutcomeNotice outcome={outcome} approval={approval} />}
      {!outcome && wasPending && status !== 'pending' && (
        <Notice kind="info">It was decided while you looked at it: it is {status} by now.</Notice>
      )}
      <Details of={details} />
      {status === 'pending' ? (
        // Another digest is another question: its form begins anew, with a key of its own.
        <Decide key={approval.digest} approval={approval} outcome={outcome} tell={setOutcome} />
      ) : (
        args !== null && (
          <section className="card stack" aria-label="Arguments">
            <h2>Arguments</h2>
            <JsonView value={args} />
          </section>
        )
      )}
      <Decisions approval={approval} />
      <AboutIt approval={approval} />
      {status === 'pending' && <HandOn approval={approval} />}
      <ModelSaid runId={runId} before={requestedAt} />
      <Comments approval={approval} />
      {status === 'pending' && <WhereItWaits runId={runId} />}
    </>
  );
}
