import { Suspense } from 'react';
import type { JSX } from 'react';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { Loading } from '../../parts/loading.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { useRun } from '../runs/history/use-run.ts';

/** An approval can be read and decided while what draws graphs still comes. */
const GraphTab = lazyPart(async () => (await import('../runs/graph/graph-tab.tsx')).GraphTab);

/** The graph of the run that asks, with the node that waits. */
export function WhereItWaits({ runId }: { readonly runId: string }): JSX.Element {
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
