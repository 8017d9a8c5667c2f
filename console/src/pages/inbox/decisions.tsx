import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { JsonView } from '../../parts/json-view.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';

/** Who has decided what, also when it was asked before. */
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
