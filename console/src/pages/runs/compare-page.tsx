import { useQuery } from '@tanstack/react-query';
import type { RunDiff } from 'holdfast/client';
import { useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { Labelled } from './parts/dialog.tsx';
import './parts/runs.css';
import './list.css';
import { pathRows } from './path-rows.ts';

interface CompareProps {
  readonly left: string;
  readonly right: string;
}

/** Two runs side by side, from where they diverge. */
export function ComparePage({ left, right }: CompareProps): JSX.Element {
  return (
    <>
      <PageHeader title="Compare runs" about="From the last checkpoint that both go back to." />
      <div className="stack">
        <Choice left={left} right={right} />
        {left !== '' && right !== '' && <Comparison left={left} right={right} />}
      </div>
    </>
  );
}

function Choice({ left, right }: CompareProps): JSX.Element {
  const [, navigate] = useLocation();
  const [ids, setIds] = useState<CompareProps>({ left, right });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const requested = [ids.left, ids.right].map((id) => encodeURIComponent(id.trim()));
    if (!requested.includes('')) navigate(`/runs/compare/${requested.join('/')}`);
  };
  return (
    <form className="card compare-choice" onSubmit={submit}>
      {(['left', 'right'] as const).map((side) => (
        <Labelled key={side} label={side === 'left' ? 'One run' : 'The other'}>
          {(tied) => (
            <input
              {...tied}
              className="mono"
              value={ids[side]}
              spellCheck={false}
              placeholder="id of a run"
              onChange={({ target }) => setIds({ ...ids, [side]: target.value })}
            />
          )}
        </Labelled>
      ))}
      <button type="submit" className="button primary">
        Compare
      </button>
    </form>
  );
}

function Comparison({ left, right }: CompareProps): JSX.Element {
  const client = useApi();
  const diff = useQuery({
    queryKey: [...KEYS.run(left), 'diff', right],
    queryFn: async ({ signal }) => await client.runs.diff(left, right, { signal }),
  });
  return (
    <QueryView query={diff} what="Comparing">
      {(found) => (
        <>
          <div className="row">
            <p>
              {found.common ? (
                <>
                  They part {found.common.step < 0 ? 'at the beginning' : `after superstep ${found.common.step}`}, at{' '}
                  <Link href={`/runs/${found.common.runId}/state`} className="mono">
                    {found.common.checkpoint}
                  </Link>
                </>
              ) : (
                'They have nothing in common: their whole ways are shown.'
              )}
            </p>
            <CopyAsCurl request={{ method: 'GET', path: `/api/runs/${left}/diff?with=${right}` }} />
          </div>
          <div className="columns">
            <Side title="One run" side={found.left} />
            <Side title="The other" side={found.right} />
          </div>
          <PathTable diff={found} />
          <section className="card stack" aria-label="State">
            <h2>State</h2>
            <DiffView
              before={toValues(found, 'left')}
              after={toValues(found, 'right')}
              titles={['One run', 'The other']}
              same="Their states are the same"
            />
          </section>
        </>
      )}
    </QueryView>
  );
}

function toValues({ state }: RunDiff, side: 'left' | 'right'): Readonly<Record<string, unknown>> {
  return Object.fromEntries(state.map((one) => [one.channel, one[side]]));
}

interface SideProps {
  readonly title: string;
  readonly side: RunDiff['left'];
}

function Side({ title, side }: SideProps): JSX.Element {
  const { runId, status, usage, decisions } = side;
  return (
    <section className="card stack" aria-label={title}>
      <h2 className="row">
        {title} <Status of={status} />
      </h2>
      <Link href={`/runs/${runId}`} className="mono">
        {runId}
      </Link>
      <p className="muted small-text">
        ${usage.costUsd.toFixed(4)}, {usage.inputTokens + usage.outputTokens} tokens, {usage.modelCalls} calls of
        models, {usage.toolCalls} of tools
      </p>
      <ul className="plain">
        {decisions.map(({ approvalId, node, decision, by, reason, at }) => (
          <li key={`${approvalId} ${by}`}>
            {node}: <strong>{decision}</strong> by {by} <Time at={at} />
            {reason !== null && <span className="muted"> “{reason}”</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function PathTable({ diff }: { readonly diff: RunDiff }): JSX.Element {
  return (
    <section className="card stack" aria-label="Ways">
      <h2>Ways since then</h2>
      <Table label="Both runs side by side" columns={['#', 'One run', 'The other']}>
        {pathRows(diff.left.path, diff.right.path).map(({ number, left, right, isSame }) => (
          <tr key={number}>
            <th scope="row">
              {number}
              {!isSame && <span className="for-readers"> differs</span>}
            </th>
            <td className={isSame ? '' : 'differs'}>{left}</td>
            <td className={isSame ? '' : 'differs'}>{right}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
