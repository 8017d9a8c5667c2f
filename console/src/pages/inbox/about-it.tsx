import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { Ago, Time } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Expiry } from './expiry.tsx';

/** Who may decide an approval and who has, who has asked, until when, and where. */
export function AboutIt({ approval }: { readonly approval: Approval }): JSX.Element {
  const { status, runId, node, tool, requestedBy, requestedAt, expiresAt } = approval;
  return (
    <section className="card stack" aria-label="About it">
      <h2>About it</h2>
      <dl className="facts">
        <dt>Who may decide</dt>
        <dd>{visible(approval.who ?? '')}</dd>
        <Quorum progress={approval.progress} />
        <dt>Asked by</dt>
        <dd>
          {visible(requestedBy)}, <Time at={requestedAt} />
        </dd>
        {status === 'pending' && (
          <>
            <dt>Due</dt>
            <dd>
              <Ago at={expiresAt} />, at <Time at={expiresAt} />. <Expiry runId={runId} node={node} tool={tool} />
            </dd>
          </>
        )}
        <dt>Where</dt>
        <dd>
          <span className="mono">{visible(tool ?? node)}</span> in <Link href={`/runs/${runId}`}>the run {runId}</Link>
        </dd>
      </dl>
    </section>
  );
}

function Quorum({ progress }: Pick<Approval, 'progress'>): JSX.Element | null {
  if (progress === undefined || progress.needed === 1) return null;
  const { needed, by } = progress;
  return (
    <>
      <dt>Approvals</dt>
      <dd>
        <meter className="for-readers" min={0} max={needed} value={by.length} />
        {by.length} of {needed}
        {by.length > 0 && `, by ${visible(by.join(', '))}`}
      </dd>
    </>
  );
}
