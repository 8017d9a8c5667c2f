import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { JSX } from 'react';
import { useNow } from '../../../parts/time.tsx';
import { Empty } from '../../../parts/notices.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { formatDuration } from '../../../parts/texts.ts';
import { nodesOf } from '../../../graph/definition.ts';
import type { Definition } from '../../../graph/definition.ts';
import { useHistory, isEnded } from '../data/use-run.ts';
import { NodePanel } from '../graph/node-panel.tsx';
import { LongList } from '../parts/long-list.tsx';
import { useDefinition } from '../data/use-definition.ts';
import './run.css';
import { spanOf, toBars } from './to-bars.ts';
import type { Bar, BarPart } from './to-bars.ts';

const ROW_PX = 40;

/** The node tasks of a run as bars over time, with calls inside and hatched waits. */
export function TimelineTab({ run }: { readonly run: Run }): JSX.Element {
  const history = useHistory(run.id);
  const definition = useDefinition(run);
  const waitNodes = useMemo(() => namesOfWaits(definition.data), [definition.data]);
  return (
    <QueryView query={history} what="Loading the history">
      {(events) => <Bars run={run} bars={toBars(events, waitNodes)} />}
    </QueryView>
  );
}

/** The ids of nodes that only wait. Those of subgraphs are not known. */
function namesOfWaits(definition: Definition | undefined): ReadonlySet<string> {
  const nodes = definition ? nodesOf(definition) : [];
  return new Set(nodes.flatMap(([id, { type }]) => (type === 'wait' ? [id] : [])));
}

function Bars({ run, bars }: { readonly run: Run; readonly bars: readonly Bar[] }): JSX.Element {
  const [chosen, setChosen] = useState<Bar | null>(null);
  const now = useNow();
  const nowMs = isEnded(run) ? Date.parse(run.endedAt ?? run.createdAt) : now;
  const span = spanOf(bars, nowMs);
  if (bars.length === 0) return <Empty title="No node has begun yet" />;
  return (
    <div className={chosen ? 'graph-and-panel with-panel' : 'graph-and-panel'}>
      <section className="card timeline" aria-label="Timeline">
        <p className="muted small-text">
          {formatDuration(span.toMs - span.fromMs)} in all. Hatched: waits for people, events or times.
        </p>
        <LongList label="Node tasks" items={bars} keyOf={({ key }) => key} rowPx={ROW_PX}>
          {(bar) => <BarRow bar={bar} span={{ ...span, nowMs }} onOpen={() => setChosen(bar)} />}
        </LongList>
      </section>
      {chosen && (
        <NodePanel
          key={chosen.key}
          run={run}
          path={chosen.address.split('/').slice(0, -1)}
          node={chosen.address.split('/').at(-1) ?? ''}
          visit={chosen.visit}
          onClose={() => setChosen(null)}
        />
      )}
    </div>
  );
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

interface BarRowProps {
  readonly bar: Bar;
  readonly span: Span;
  readonly onOpen: () => void;
}

function BarRow({ bar, span, onOpen }: BarRowProps): JSX.Element {
  const { name, status, isWait, parts, fromMs } = bar;
  const toMs = bar.toMs ?? span.nowMs;
  return (
    <button type="button" className="long-row bar-row" onClick={onOpen}>
      <span className="bar-name cut">{name}</span>
      <Status of={status} />
      <span className="bar-time muted small-text">{formatDuration(toMs - fromMs)}</span>
      <span className="bar-track" aria-hidden="true">
        <span className={`bar ${status}${isWait ? ' wait' : ''}`} style={positionOf({ fromMs, toMs }, span)} />
        {parts.map((part) => (
          <span
            key={`${part.key} ${part.fromMs}`}
            className={`bar-part ${part.kind}${part.hasFailed ? ' failed' : ''}`}
            style={positionOf({ fromMs: part.fromMs, toMs: part.toMs ?? span.nowMs }, span)}
            title={describePart(part)}
          />
        ))}
      </span>
      <span className="for-readers">{parts.map(describePart).join('; ')}</span>
    </button>
  );
}

function describePart({ kind, label, hasFailed, attempts }: BarPart): string {
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const end = kind === 'call' ? 'failed' : 'not approved';
  return `${kind === 'call' ? 'call of' : 'waits:'} ${label}${tries}${hasFailed ? `, ${end}` : ''}`;
}

/** Position and width of a bar, in percent of the track. */
function positionOf(
  { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>,
  span: Span,
): { readonly left: string; readonly width: string } {
  const wholeMs = span.toMs - span.fromMs;
  const percent = (ms: number): string => `${((100 * ms) / wholeMs).toFixed(3)}%`;
  return { left: percent(fromMs - span.fromMs), width: percent(Math.max(0, toMs - fromMs)) };
}
