import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { JSX } from 'react';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { useHistory } from '../history/use-history.ts';
import { NodePanel } from '../node/node-panel.tsx';
import { isNotToBeHad } from '../definition/read-run-graph.ts';
import type { RunGraph } from '../definition/read-run-graph.ts';
import { useNamedDefinition, useRunGraph } from '../definition/use-definition.ts';
import { innerOf, nodesOf } from '../../../graph/definition.ts';
import type { Definition } from '../../../graph/definition.ts';
import { isMembers } from '../../../form/fields-of.ts';
import { OpenSubgraphs } from '../../../graph/open-subgraphs.tsx';
import { GraphView } from './graph-view.tsx';
import { nodeStates } from './node-states.ts';

/** The graph of a run as it goes through it, and what one of its nodes has done. */
export function GraphTab({ run }: { readonly run: Run }): JSX.Element {
  const graph = useRunGraph(run);
  const history = useHistory(run.id);
  const [path, setPath] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const states = useMemo(() => nodeStates(history.data ?? [], run.waitingFor), [history.data, run.waitingFor]);
  const open = (next: readonly string[]): void => {
    setPath(next);
    setChosen(null);
  };
  if (isNotToBeHad(graph.error)) return <NotPublished />;
  return (
    <div className={chosen === null ? 'graph-and-panel' : 'graph-and-panel with-panel'}>
      <div className="stack">
        <OpenSubgraphs outermost="The run’s graph" path={path} onOpen={open} />
        {history.isError && <Problem error={history.error} onRetry={() => void history.refetch()} />}
        <QueryView query={graph} what="Loading the graph">
          {({ definition, named }) => (
            <Level definition={definition} named={named} path={path}>
              {(shown) => (
                <GraphView
                  definition={shown}
                  path={path}
                  states={states}
                  here={placesOf(run)}
                  chosen={chosen}
                  onChoose={setChosen}
                  onOpen={(id) => open([...path, id])}
                />
              )}
            </Level>
          )}
        </QueryView>
      </div>
      {chosen !== null && (
        <NodePanel key={chosen} run={run} path={path} node={chosen} onClose={() => setChosen(null)} />
      )}
    </div>
  );
}

/** Where a run stands: what it waits for, where it has failed, or what is next. */
function placesOf({ waitingFor, error, next }: Run): readonly string[] {
  if (waitingFor.length > 0) return waitingFor.map(({ node }) => node);
  return error?.node === undefined ? next : [error.node];
}

function NotPublished(): JSX.Element {
  return (
    <Notice kind="info">
      This graph is not among those that your tenant has published. It can be shown once the run has ended, to those who
      may see payloads; the timeline and the events have all that has happened.
    </Notice>
  );
}

interface LevelProps extends RunGraph {
  readonly path: readonly string[];
  readonly children: (definition: Definition) => JSX.Element;
}

/** Goes down into the subgraphs of a path. */
function Level({ definition, named, path, children }: LevelProps): JSX.Element {
  const [first, ...rest] = path;
  if (first === undefined) return children(definition);
  const inner = innerOf(nodesOf(definition).find(([id]) => id === first)?.[1] ?? {}, definition);
  const level = { named, path: rest, children };
  if (typeof inner !== 'string') return <Level definition={inner ?? {}} {...level} />;
  if (named === null) return <NamedLevel reference={inner} {...level} />;
  const pinned = named[inner];
  return isMembers(pinned) ? <Level definition={pinned} {...level} /> : <NotPublished />;
}

interface NamedLevelProps extends Omit<LevelProps, 'definition'> {
  readonly reference: string;
}

function NamedLevel({ reference, ...level }: NamedLevelProps): JSX.Element {
  const query = useNamedDefinition(reference);
  if (isNotToBeHad(query.error)) return <NotPublished />;
  return <QueryView query={query}>{(definition) => <Level definition={definition} {...level} />}</QueryView>;
}
