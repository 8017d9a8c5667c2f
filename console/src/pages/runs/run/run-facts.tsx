import type { Run } from 'holdfast/client';
import type { JSX, ReactNode } from 'react';
import { Link } from 'wouter';
import { Status } from '../../../parts/status.tsx';
import { formatDuration } from '../../../parts/texts.ts';
import { Ago } from '../../../parts/time.tsx';

/** The header of a run: its status, start, cost and origin. */
export function RunFacts({ run }: { readonly run: Run }): JSX.Element {
  const { status, createdAt, createdBy, startedAt, endedAt, usage, step, threadId, parentRunId, replayOf } = run;
  return (
    <dl className="run-facts card">
      <Fact name="Status">
        <Status of={status} />
      </Fact>
      <Fact name="Began">
        <Ago at={startedAt ?? createdAt} /> by {createdBy}
      </Fact>
      {startedAt !== null && endedAt !== null && (
        <Fact name="Took">{formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</Fact>
      )}
      <Fact name="Supersteps">{step + 1}</Fact>
      <Fact name="Cost">
        ${usage.costUsd.toFixed(4)}
        <span className="muted"> · {usage.inputTokens + usage.outputTokens} tokens</span>
      </Fact>
      <Fact name="Calls">
        {usage.modelCalls} of models, {usage.toolCalls} of tools
      </Fact>
      {threadId !== null && (
        <Fact name="Thread">
          <Link href={`/runs?thread=${encodeURIComponent(threadId)}`}>{threadId}</Link>
        </Fact>
      )}
      {parentRunId !== null && (
        <Fact name="Fork of">
          <RunLink id={parentRunId} /> <Link href={`/runs/compare/${parentRunId}/${run.id}`}>compare</Link>
        </Fact>
      )}
      {replayOf !== null && (
        <Fact name="Replay of">
          <RunLink id={replayOf} /> {run.divergence && <>differs from event {run.divergence.seq}</>}
        </Fact>
      )}
      {run.forks.length > 0 && (
        <Fact name="Forks">
          <Link href={`/runs?parent=${run.id}`}>{run.forks.length}</Link>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Shortens the id of a run to its last characters, which distinguish runs. */
function RunLink({ id }: { readonly id: string }): JSX.Element {
  return (
    <Link href={`/runs/${id}`} className="mono" aria-label={`run ${id}`}>
      …{id.slice(-6)}
    </Link>
  );
}
