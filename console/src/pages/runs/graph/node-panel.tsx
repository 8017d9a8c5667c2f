import { useInfiniteQuery } from '@tanstack/react-query';
import type { Call, Run } from 'holdfast/client';
import { useEffect, useMemo, useRef } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import { useHotkeys } from '../../../parts/use-hotkeys.ts';
import { Icon } from '../../../parts/icon.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { Problem } from '../../../parts/notices.tsx';
import { Time } from '../../../parts/time.tsx';
import { useHistory } from '../data/use-run.ts';
import { CallCard } from './call-card.tsx';
import './graph.css';
import { tasksOf } from './node-states.ts';
import type { NodeTask } from './node-states.ts';

interface NodePanelProps {
  readonly run: Run;
  readonly path: readonly string[];
  readonly node: string;
  /** The visit that is open; by default the latest. */
  readonly visit?: number;
  readonly onClose: () => void;
}

const MOST_TASKS = 100;

/** The panel of a node: each visit with its writes, errors and calls. */
export function NodePanel({ run, path, node, visit, onClose }: NodePanelProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const { data } = useHistory(run.id);
  const calls = useCalls(run.id, node);
  const tasks = useMemo(() => tasksOf(data ?? [], { path, node }), [data, path, node]);
  useHotkeys({ Escape: onClose });
  useEffect(() => heading.current?.focus(), []);
  const visibleTasks = tasks.slice(0, MOST_TASKS);
  const own = calls.found.filter((call) => (call.path ?? []).join('/') === path.join('/'));
  return (
    <aside className="card node-panel" aria-label={`Node ${node}`}>
      <header className="dialog-head">
        <h2 ref={heading} tabIndex={-1}>
          {[...path, node].join(' › ')}
        </h2>
        <button type="button" className="button quiet small" aria-label="Close the node" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="stack">
        {tasks.length === 0 && <p className="muted">The run has not been here.</p>}
        {calls.error && <Problem error={calls.error} />}
        {visibleTasks.map((task, index) => (
          <TaskView
            key={task.key}
            run={run}
            task={task}
            calls={own.filter((call) => call.visit === task.visit && (call.index ?? null) === task.index)}
            isOpen={visit === undefined ? index === 0 : task.visit === visit}
          />
        ))}
        {tasks.length > visibleTasks.length && (
          <p className="muted">{tasks.length - visibleTasks.length} earlier ones.</p>
        )}
        {calls.more && (
          <button type="button" className="button small" onClick={calls.more}>
            More calls
          </button>
        )}
      </div>
    </aside>
  );
}

const CALLS = 50;

interface FoundCalls {
  readonly found: readonly Call[];
  readonly error: Error | null;
  readonly more: (() => void) | null;
}

function useCalls(runId: string, node: string): FoundCalls {
  const client = useApi();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...KEYS.run(runId), 'calls', node],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      await client.runs.calls(runId, { node, limit: CALLS }, { signal }).page(pageParam),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return {
    found: data?.pages.flatMap(({ items }) => items) ?? [],
    error,
    more: hasNextPage ? () => void fetchNextPage() : null,
  };
}

interface TaskViewProps {
  readonly run: Run;
  readonly task: NodeTask;
  readonly calls: readonly Call[];
  readonly isOpen: boolean;
}

function TaskView({ run, task, calls, isOpen }: TaskViewProps): JSX.Element {
  const { visit, index, events } = task;
  const began = events[0];
  const outcome = events.findLast(({ type }) => OUTCOMES.has(type));
  return (
    <details className="node-task" open={isOpen}>
      <summary>
        Visit {visit}
        {index !== null && `, element ${index}`} <span className="muted">{outcome?.type ?? 'goes on'}</span>
      </summary>
      <div className="stack">
        {began && (
          <p className="muted small-text">
            Superstep {began.step}, from <Time at={began.at} />
          </p>
        )}
        {outcome && <Outcome event={outcome} />}
        {calls.length === 0 && <p className="muted small-text">No calls.</p>}
        {calls.map((call) => (
          <CallCard key={`${call.key} ${call.at}`} run={run} call={call} />
        ))}
      </div>
    </details>
  );
}

function Outcome({ event }: { readonly event: NodeTask['events'][number] }): JSX.Element | null {
  if ('error' in event && event.error) return <Part title="Error" value={event.error} />;
  return 'update' in event ? <Part title="Writes" value={event.update} /> : null;
}

function Part({ title, value }: { readonly title: string; readonly value: unknown }): JSX.Element {
  return (
    <div>
      <h3>{title}</h3>
      <JsonView value={value} open={3} />
    </div>
  );
}

const OUTCOMES: ReadonlySet<string> = new Set([
  'node.completed',
  'node.failed',
  'node.skipped',
  'node.compensated',
  'compensation.failed',
]);
