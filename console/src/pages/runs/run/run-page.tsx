import type { Run } from 'holdfast/client';
import type { JSX, ReactNode } from 'react';
import { Link } from 'wouter';
import { PageHeader } from '../../../parts/page-header.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { RunActions } from '../actions/run-actions.tsx';
import { EventsTab } from './events-tab.tsx';
import { GraphTab } from '../graph/graph-tab.tsx';
import { useRun } from '../data/use-run.ts';
import { MessagesTab } from '../messages/messages-tab.tsx';
import { StateTab } from './state-tab.tsx';
import { TimelineTab } from './timeline-tab.tsx';
import { RunExplanation } from './run-explanation.tsx';
import '../parts/runs.css';
import { JsonView } from '../../../parts/json-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { formatDuration } from '../../../parts/texts.ts';
import { Ago } from '../../../parts/time.tsx';

/** The content of a tab. */
interface Tab {
  readonly name: string;
  readonly label: string;
  readonly Content: (props: { readonly run: Run }) => JSX.Element;
}

const TABS: readonly Tab[] = [
  { name: 'graph', label: 'Graph', Content: GraphTab },
  { name: 'timeline', label: 'Timeline', Content: TimelineTab },
  { name: 'state', label: 'State', Content: StateTab },
  { name: 'messages', label: 'Messages', Content: MessagesTab },
  { name: 'events', label: 'Events', Content: EventsTab },
  { name: 'data', label: 'Input and output', Content: DataTab },
];

interface RunPageProps {
  readonly id: string;
  readonly tab: string;
}

/** The page of a run: its status with the reason, its history, and its actions. */
export function RunPage({ id, tab }: RunPageProps): JSX.Element {
  const query = useRun(id);
  const { name: here, Content } = TABS.find(({ name }) => name === tab) ?? { name: '', Content: GraphTab };
  return (
    <QueryView query={query} what="Loading the run">
      {(run) => (
        <>
          <PageHeader title={titleOf(run)} about={<span className="mono">{id}</span>}>
            <RunActions run={run} />
          </PageHeader>
          <div className="stack">
            <RunFacts run={run} />
            <RunExplanation run={run} />
            <nav className="tabs" aria-label="Parts of the run">
              {TABS.map(({ name, label }) => (
                <Link key={name} href={`/runs/${id}/${name}`} replace aria-current={name === here ? 'page' : undefined}>
                  {label}
                </Link>
              ))}
            </nav>
            <Content run={run} />
          </div>
        </>
      )}
    </QueryView>
  );
}

function titleOf({ graph: { name, version } }: Run): string {
  return version === null ? name : `${name}@${version}`;
}

/** The header of a run: its status, start, cost and origin. */
function RunFacts({ run }: { readonly run: Run }): JSX.Element {
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

/** The input and the output of a run. */
function DataTab({ run }: { readonly run: Run }): JSX.Element {
  const parts = { Input: run.input, Output: run.output, Error: run.error, Metadata: run.metadata, Limits: run.limits };
  return (
    <div className="columns">
      {Object.entries(parts).map(
        ([name, value]) =>
          value !== null && (
            <section key={name} className="card stack" aria-label={name}>
              <h2>{name}</h2>
              <JsonView value={value} open={3} />
            </section>
          ),
      )}
    </div>
  );
}
