import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { Ago, Time } from '../../parts/time.tsx';
import { visible } from '../../parts/texts.ts';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { isMembers } from '../../form/fields.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Status } from '../../parts/status.tsx';

/** Facts about an approval: who may decide and who has, who has asked, its expiry, and its run. */
export function ApprovalFacts({ approval }: { readonly approval: Approval }): JSX.Element {
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

interface ExpiryProps {
  readonly runId: string;
  readonly node: string;
  readonly tool: string | undefined;
}

const EFFECTS: Readonly<Record<string, string>> = {
  expire: 'Then it expires, and the run goes on without a decision.',
  reject: 'Then it counts as rejected.',
  approve: 'Then it counts as approved, as proposed.',
  fail: 'Then the node fails.',
};
const OF_TOOL = 'Then the call is not made.';

/** Describes what happens to the run if the approval expires. */
function Expiry({ runId, node, tool }: ExpiryProps): JSX.Element {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.run(runId), 'expiry', node],
    staleTime: Infinity,
    enabled: tool === undefined,
    async queryFn({ signal }) {
      const { graph } = await client.runs.get(runId, { signal });
      if (graph.version === null) return null;
      return effectOf((await client.graphs.get(graph.name, graph.version, { signal })).definition, node);
    },
  });
  return <>{tool === undefined ? data : OF_TOOL}</>;
}

/** @returns `null` for a node of a subgraph, whose definition is not loaded here */
function effectOf(definition: unknown, node: string): string | null {
  const nodes = isMembers(definition) ? definition['nodes'] : null;
  const found = isMembers(nodes) ? nodes[node] : null;
  if (!isMembers(found)) return null;
  const { onTimeout = 'expire' } = found;
  return typeof onTimeout === 'string' ? (EFFECTS[onTimeout] ?? null) : null;
}

/** The decisions on an approval, also those on earlier requests. */
export function Decisions({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const { decisions, previous } = approval;
  const earlier = previous.flatMap((one) => one.decisions.map((decision) => ({ ...decision, id: one.id })));
  if (decisions.length + earlier.length === 0) return null;
  return (
    <section className="card stack" aria-label="Decisions">
      <h2>Decisions</h2>
      <ul className="decisions">
        {decisions.map((decision) => (
          <li key={`${decision.by} ${decision.at}`}>
            <Line {...decision} />
            {decision.args !== null && decision.args !== undefined && (
              <details>
                <summary>With these arguments</summary>
                <JsonView value={decision.args} />
              </details>
            )}
          </li>
        ))}
        {earlier.map((decision) => (
          <li key={`${decision.id} ${decision.by} ${decision.at}`}>
            <Line {...decision} /> <span className="muted">when it was asked before</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type LineProps = Pick<Approval['decisions'][number], 'by' | 'decision' | 'reason' | 'at'>;

function Line({ by, decision, reason, at }: LineProps): JSX.Element {
  return (
    <p className="row">
      <Status of={decision === 'approve' ? 'approved' : 'rejected'} />
      <strong>{visible(by)}</strong>
      <span className="muted">
        <Time at={at} />
      </span>
      {reason !== null && <span>“{visible(reason)}”</span>}
    </p>
  );
}
