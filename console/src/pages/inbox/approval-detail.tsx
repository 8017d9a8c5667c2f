import { useQuery } from '@tanstack/react-query';
import type { Approval } from 'holdfast/client';
import { useEffect, useRef, useState, Suspense } from 'react';
import type { JSX } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { leaveField, useHotkeys } from '../../parts/use-hotkeys.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { QueryView, lazyPart } from '../../parts/query-view.tsx';
import { ApprovalFacts, Decisions } from './approval-facts.tsx';
import { Decide, scrollToTop } from './decide.tsx';
import { draftKeyOf } from './decision.ts';
import type { Outcome } from './decision.ts';
import { ApprovalActions, Comments } from './approval-actions.tsx';
import { ConversationView } from './conversation-view.tsx';
import { isMembers } from '../../form/fields.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { visible } from '../../parts/texts.ts';
import { Loading, Notice } from '../../parts/notices.tsx';
import { useRun } from '../runs/data/use-run.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { Status } from '../../parts/status.tsx';
import { useKeptDraft } from '../../session/kept-drafts.ts';
import { ChangedNotice, OutcomeNotice } from './decision-notices.tsx';
import { mainArguments } from './arguments.ts';

/** The detail view of an approval: the request, the people concerned, and the decision. */
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
  useEffect(() => scrollToTop(pane.current), []);
  useHotkeys({ Escape: () => leaveField() || navigate(toList) });
  return (
    <section className="inbox-one" aria-label="The approval" ref={pane}>
      <article className="stack">
        <Link href={toList} className="inbox-back">
          Back to the list
        </Link>
        <QueryView query={query} what="Opening the approval">
          {(approval) => <Opened approval={approval} onScrollToTop={() => scrollToTop(pane.current)} />}
        </QueryView>
      </article>
    </section>
  );
}

interface OpenedProps {
  readonly approval: Approval;
  /** Scrolls to the top. */
  readonly onScrollToTop: () => void;
}

function Opened({ approval, onScrollToTop }: OpenedProps): JSX.Element {
  const { details, args, status, runId } = approval;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const report = (next: Outcome): void => {
    setOutcome(next);
    onScrollToTop();
  };
  return (
    <>
      <ApprovalHead approval={approval} outcome={outcome} />
      {status === 'pending' ? (
        // Another digest means another content: the form starts over, with a new idempotency key.
        <Decide
          key={approval.digest}
          approval={approval}
          outcome={outcome}
          report={report}
          onScrollToTop={onScrollToTop}
        />
      ) : (
        args !== null && (
          <section className="card stack" aria-label="Arguments">
            <h2>Arguments</h2>
            <JsonView value={args} />
          </section>
        )
      )}
      <Details of={details} />
      <ConversationView approval={approval} />
      <Decisions approval={approval} />
      <ApprovalFacts approval={approval} />
      {status === 'pending' && <ApprovalActions approval={approval} />}
      <Comments approval={approval} />
      {status === 'pending' && <WaitingNode runId={runId} />}
    </>
  );
}

/** The details of an approval: a text, or named values. Texts are Markdown. Unknown shapes are left out. */
function Details({ of }: { readonly of: unknown }): JSX.Element | null {
  if (of === null || of === undefined) return null;
  if (!isMembers(of))
    return (
      <section className="card" aria-label="Details">
        <Fact of={of} />
      </section>
    );
  const known = Object.entries(of).filter(([, value]) => value !== null && value !== '');
  if (known.length === 0) return null;
  return (
    <section className="card" aria-label="Details">
      <dl className="facts">
        {known.map(([name, value]) => (
          <div key={name} className="facts-row">
            <dt>{visible(name)}</dt>
            <dd>
              <Fact of={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Fact({ of }: { readonly of: unknown }): JSX.Element {
  return typeof of === 'string' ? <Markdown text={of} /> : <JsonView value={of} />;
}

/** An approval can be read and decided while the code that draws graphs is still loading. */
const GraphTab = lazyPart(async () => (await import('../runs/graph/graph-tab.tsx')).GraphTab);

/** The graph of the run, with the waiting node. */
function WaitingNode({ runId }: { readonly runId: string }): JSX.Element {
  const query = useRun(runId);
  return (
    <section className="card stack" aria-label="Where it waits">
      <h2>Where it waits</h2>
      <QueryView query={query} what="Loading the run">
        {(run) => (
          <Suspense fallback={<Loading />}>
            <GraphTab run={run} />
          </Suspense>
        )}
      </QueryView>
    </section>
  );
}

interface ApprovalHeadProps {
  readonly approval: Approval;
  /** The outcome of a decision from this page; `null` if none was sent. */
  readonly outcome: Outcome | null;
}

/** The header of an approval. It stays visible while the rest scrolls. */
function ApprovalHead({ approval, outcome }: ApprovalHeadProps): JSX.Element {
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

/** Deletes the draft of a closed approval. */
function DroppedDraft({ approval: { id, digest } }: Pick<ApprovalHeadProps, 'approval'>): JSX.Element | null {
  const { found, outdated, drop } = useKeptDraft(draftKeyOf(id), digest);
  const [hadDraft] = useState(found !== null || outdated !== null);
  useEffect(() => drop(), [drop]);
  return hadDraft ? <Notice kind="info">What you had written for it and not sent was dropped.</Notice> : null;
}
