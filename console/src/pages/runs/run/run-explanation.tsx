import type { Explanation, Run } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { useAdminRight } from '../../../api/use-api.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Notice, Problem } from '../../../parts/notices.tsx';
import type { Tone } from '../../../parts/notices.tsx';
import { formatDuration, visible } from '../../../parts/texts.ts';
import { Ago, Time } from '../../../parts/time.tsx';
import { useExplanation } from '../data/use-run.ts';

const TONES: Readonly<Record<Run['status'], Tone>> = {
  queued: 'info',
  running: 'info',
  waiting: 'warn',
  paused: 'warn',
  completed: 'ok',
  failed: 'bad',
  canceled: 'info',
};

/** Explains at the top of a run's page why it waits or has stopped, and who can do what next. */
export function RunExplanation({ run }: { readonly run: Run }): JSX.Element | null {
  const { data, error, refetch } = useExplanation(run.id);
  if (data) return <ExplanationView explanation={data} run={run} />;
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : null;
}

interface ExplanationViewProps {
  readonly explanation: Explanation;
  readonly run: Run;
}

function ExplanationView({ explanation, run }: ExplanationViewProps): JSX.Element {
  const { status, summary, since, reasons, budget, deadline, actions } = explanation;
  const isKeptBack = reasons.some(({ kind }) => kind === 'switched-off');
  return (
    <Notice kind={isKeptBack ? 'warn' : TONES[status]}>
      <p>
        <strong>{visible(summary)}</strong> <span className="muted">since</span> <Ago at={since} />
      </p>
      {reasons.length > 1 && (
        <ul className="plain">
          {reasons.map((reason) => (
            <li key={`${reason.kind} ${reason.node ?? ''} ${reason.index ?? ''} ${reason.id ?? ''}`}>
              {visible(reason.text)}
            </li>
          ))}
        </ul>
      )}
      <Approvals run={run} />
      {isKeptBack && <ToSwitches />}
      {deadline && <Deadline deadline={deadline} />}
      {(actions.length > 0 || budget.length > 0) && (
        <details>
          <summary>{actions.length > 0 ? 'Who can do what now' : 'What is left of its limits'}</summary>
          <ul className="plain">
            {actions.map((action) => (
              <li key={`${action.action} ${action.effect} ${action.command.curl}`}>
                <strong>{action.action}</strong>: {visible(action.effect)}{' '}
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

/** A link to the switches that hold a run, for administrators only. */
function ToSwitches(): JSX.Element | null {
  const { data: isAdmin } = useAdminRight();
  return isAdmin === true ? <Link href="/admin/switches">Switches</Link> : null;
}

function Deadline({ deadline: { at, leftMs, effect } }: { readonly deadline: NonNullable<Explanation['deadline']> }) {
  return (
    <p className="small-text">
      Deadline:{' '}
      {at === null ? (
        `${formatDuration(leftMs)} are left`
      ) : (
        <>
          <Ago at={at} />, <Time at={at} />
        </>
      )}
      . <span className="muted">{effect}</span>
    </p>
  );
}

/** Links to the approvals of a run in the inbox. */
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
