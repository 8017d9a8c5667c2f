import { useInfiniteQuery } from '@tanstack/react-query';
import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { JSX } from 'react';
import { Link, useSearchParams } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { Empty, Loading, Problem } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { LongList } from './parts/long-list.tsx';
import { BulkActions } from './bulk-actions.tsx';
import './list.css';
import { RunFilters } from './run-filters.tsx';
import { findProblems, readSearch, toFilter, writeSearch } from './run-query.ts';
import type { RunSearch } from './run-query.ts';

const PAGE = 50;
const ROW_PX = 64;

/** The runs of the tenant, the newest first. The address has the search, so that it can be shared. */
export function RunsList(): JSX.Element {
  const [query, setQuery] = useSearchParams();
  const search = useMemo(() => readSearch(query), [query]);
  const problems = useMemo(() => findProblems(query), [query]);
  const isReadable = Object.keys(problems).length === 0;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const change = (next: RunSearch): void => {
    setQuery(writeSearch(next), { replace: true });
    setChosen(new Set());
  };
  return (
    <>
      <PageHeader title="Runs" about="The newest first. They change as they happen." />
      <div className="stack">
        <RunFilters search={search} problems={problems} onChange={change} />
        {isReadable ? (
          <>
            <BulkActions key={query.toString()} search={search} chosen={chosen} onDone={() => setChosen(new Set())} />
            <FoundRuns search={search} chosen={chosen} onChoose={setChosen} />
          </>
        ) : (
          <Empty title="The search can’t be read">
            <p>No run is shown, and nothing can be done to many, until it can.</p>
            <button type="button" className="button small" onClick={() => change(readSearch(new URLSearchParams()))}>
              Clear the search
            </button>
          </Empty>
        )}
      </div>
    </>
  );
}

interface FoundRunsProps {
  readonly search: RunSearch;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function FoundRuns({ search, chosen, onChoose }: FoundRunsProps): JSX.Element {
  const client = useApi();
  const filter = toFilter(search);
  const found = useInfiniteQuery({
    queryKey: [...KEYS.runs, 'list', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      await client.runs.list({ ...filter, limit: PAGE }, { signal }).page(pageParam),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const runs = useMemo(() => distinct(found.data?.pages.flatMap(({ items }) => items) ?? []), [found.data]);
  if (found.isError && runs.length === 0) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.isPending) return <Loading what="Loading runs" />;
  if (runs.length === 0)
    return (
      <Empty title="No run is like this">
        <p>
          Clear the search, or start a run from <Link href="/graphs">a graph</Link>.
        </p>
      </Empty>
    );
  return (
    <>
      <RunRows runs={runs} chosen={chosen} onChoose={onChoose} />
      <div className="row">
        <span className="muted small-text" role="status">
          {runs.length} shown
        </span>
        {found.hasNextPage && (
          <button
            type="button"
            className="button small"
            disabled={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            More
          </button>
        )}
      </div>
    </>
  );
}

/** Removes duplicates: pages that were loaded at different times may overlap. */
function distinct(runs: readonly Run[]): readonly Run[] {
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

interface RunRowsProps extends Omit<FoundRunsProps, 'search'> {
  readonly runs: readonly Run[];
}

function RunRows({ runs, chosen, onChoose }: RunRowsProps): JSX.Element {
  return (
    <div className="card run-rows">
      <LongList label="Runs" items={runs} keyOf={({ id }) => id} rowPx={ROW_PX}>
        {(run) => <RunRow run={run} isChosen={chosen.has(run.id)} onToggle={() => onChoose(toggled(chosen, run.id))} />}
      </LongList>
    </div>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface RunRowProps {
  readonly run: Run;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function RunRow({ run, isChosen, onToggle }: RunRowProps): JSX.Element {
  const { id, status, graph, createdAt, usage } = run;
  return (
    <div className="run-row">
      <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={`Choose run ${id}`} />
      <Status of={status} />
      <Link href={`/runs/${id}`} className="run-link">
        <strong>
          {graph.name}
          {graph.version !== null && <span className="muted">@{graph.version}</span>}
        </strong>
        <span className="mono muted run-id">{id}</span>
      </Link>
      <span className="run-about muted small-text">{aboutRun(run)}</span>
      <span className="run-cost muted small-text">{usage.costUsd > 0 ? `$${usage.costUsd.toFixed(4)}` : ''}</span>
      <span className="run-time muted small-text">
        <Ago at={createdAt} />
      </span>
    </div>
  );
}

/** Summarizes the progress of a run in one line. */
function aboutRun({ waitingFor, error, next, status }: Run): string {
  const [first, ...others] = waitingFor;
  if (first) return `${first.kind} at ${first.node}${others.length > 0 ? ` and ${others.length} more` : ''}`;
  if (error) return error.node === undefined ? error.code : `${error.code} at ${error.node}`;
  return status === 'running' || status === 'paused' ? next.join(', ') : '';
}
