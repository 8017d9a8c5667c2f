import { useQuery } from '@tanstack/react-query';
import type { Approval } from 'holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { leaveField, useHotkeys } from '../../live/use-hotkeys.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { AboutIt } from './about-it.tsx';
import { ApprovalHead } from './approval-head.tsx';
import { Comments } from './comments.tsx';
import { Decide } from './decide/decide.tsx';
import type { Outcome } from './decide/decision-outcome.ts';
import { Decisions } from './decisions.tsx';
import { Details } from './details.tsx';
import { HandOn } from './hand-on.tsx';
import { showBeginning } from './decide/in-sight.ts';
import { LedToItView } from './led-to-it-view.tsx';
import { WhereItWaits } from './where-it-waits.tsx';

/** One approval, from its beginning: what is asked, by whom and of whom, and the decision. */
export function ApprovalDetail({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const search = useSearch();
  const query = useQuery({
    queryKey: KEYS.approval(id),
    queryFn: async ({ signal }) => await client.approvals.get(id, { signal }),
  });
  const [, navigate] = useLocation();
  const toList = `/inbox${search === '' ? '' : `?${search}`}`;
  const pane = useRef<HTMLElement>(null);
  useEffect(() => showBeginning(pane.current), []);
  useHotkeys({ Escape: () => leaveField() || navigate(toList) });
  return (
    <section className="inbox-one" aria-label="The approval" ref={pane}>
      <article className="stack">
        <Link href={toList} className="inbox-back">
          Back to the list
        </Link>
        <QueryView query={query} what="Opening the approval">
          {(approval) => <Opened approval={approval} toBeginning={() => showBeginning(pane.current)} />}
        </QueryView>
      </article>
    </section>
  );
}

interface OpenedProps {
  readonly approval: Approval;
  /** Shows the beginning of the page. */
  readonly toBeginning: () => void;
}

function Opened({ approval, toBeginning }: OpenedProps): JSX.Element {
  const { details, args, status, runId } = approval;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const tell = (next: Outcome): void => {
    setOutcome(next);
    toBeginning();
  };
  return (
    <>
      <ApprovalHead approval={approval} outcome={outcome} />
      {status === 'pending' ? (
        // Another digest is another question: its form begins anew, with a key of its own.
        <Decide key={approval.digest} approval={approval} outcome={outcome} tell={tell} toBeginning={toBeginning} />
      ) : (
        args !== null && (
          <section className="card stack" aria-label="Arguments">
            <h2>Arguments</h2>
            <JsonView value={args} />
          </section>
        )
      )}
      <Details of={details} />
      <LedToItView approval={approval} />
      <Decisions approval={approval} />
      <AboutIt approval={approval} />
      {status === 'pending' && <HandOn approval={approval} />}
      <Comments approval={approval} />
      {status === 'pending' && <WhereItWaits runId={runId} />}
    </>
  );
}
