import type { Explanation, Run } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Notice } from '../../../parts/notice.tsx';
import type { Tone } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useExplanation } from '../history/use-run.ts';

const TONES: Readonly<Record<Run['status'], Tone>> = {
  queued: 'info',
  running: 'info',
  waiting: 'warn',
  paused: 'warn',
  completed: 'ok',
  failed: 'bad',
  canceled: 'info',
};

/** Says on top of a run why it waits or has stopped, and who can do what now. */
export function Explained({ run }: { readonly run: Run }): JSX.Element | null {
  const { data, error, refetch } = useExplanation(run.id);
  if (data) return <ShownExplanation explanation={data} run={run} />;
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : null;
}

interface ShownExplanationProps {
  readonly explanation: Explanation;
  readonly run: Run;
}

function ShownExplanation({ explanation, run }: ShownExplanationProps): JSX.Element {
  const { summary, since, reasons, budget, actions } = explanation;
  return (
    <Notice kind={TONES[explanation.status]}>
      <p>
        <strong>{summary}</strong> <span className="muted">since</span> <Ago at={since} />
      </p>
      {reasons.length > 1 && (
        <ul className="plain">
          {reasons.map((reason) => (
            <li key={`${reason.kind} ${reason.node ?? ''} ${reason.index ?? ''} ${reason.id ?? ''}`}>{reason.text}</li>
          ))}
        </ul>
      )}
      <Approvals run={run} />
      {(actions.length > 0 || budget.length > 0) && (
        <details>
          <summary>{actions.length > 0 ? 'Who can do what now' : 'What is left of its limits'}</summary>
          <ul className="plain">
            {actions.map((action) => (
              <li key={`${action.action} ${action.effect} ${action.command.curl}`}>
                <strong>{action.action}</strong>: {action.effect}{' '}
                <span className="muted">{action.allowed ? 'You may.' : `By ${action.who}.`}</span>{' '}
                <CopyButton label="curl" text={() => action.command.curl} />
                <CommandButton label="holdfast" command={action.command.holdfast} />
                <CommandButton label="temporal" command={action.command.temporal} />
              </li>
            ))}
          </ul>
          {budget.length > 0 && (
            <p className="muted small-text">
              Left: {budget.map(({ limit, left, allowed }) => `${limit} ${left} of ${allowed}`).join(', ')}
            </p>
          )}
        </details>
      )}
    </Notice>
  );
}

function CommandButton({ label, command }: { readonly label: string; readonly command: string | null }) {
  return command === null ? null : <CopyButton label={label} text={() => command} />;
}

/** Decisions are made in the inbox. */
function Approvals({ run }: { readonly run: Run }): JSX.Element | null {
  const asked = run.waitingFor.flatMap(({ kind, id, node }) => (kind === 'approval' && id ? [{ id, node }] : []));
  if (asked.length === 0) return null;
  return (
    <p>
      {asked.map(({ id, node }) => (
        <Link key={id} href={`/inbox/${id}`}>
          Decide about {node}
        </Link>
      ))}
    </p>
  );
}
