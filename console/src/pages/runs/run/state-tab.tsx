import type { Checkpoint, Run } from 'holdfast/client';
import { useId, useMemo, useState } from 'react';
import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { DiffView } from '../../../parts/diff-view.tsx';
import { Empty } from '../../../parts/notices.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Time } from '../../../parts/time.tsx';
import { ForkButton } from '../actions/fork-dialog.tsx';
import { useHistory } from '../data/use-run.ts';
import { changedBy, describeCheckpoint } from './changed-by.ts';
import type { ChannelChange } from './changed-by.ts';
import './run.css';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';

/** The state of a run at each of its checkpoints, and the differences between any two. */
export function StateTab({ run }: { readonly run: Run }): JSX.Element {
  const checkpoints = useCheckpoints(run.id);
  const history = useHistory(run.id);
  const changes = useMemo(() => changedBy(history.data ?? []), [history.data]);
  return (
    <QueryView query={checkpoints} what="Loading the checkpoints">
      {(all) =>
        all.length === 0 ? (
          <Empty title="The run has no checkpoint yet" />
        ) : (
          <States run={run} checkpoints={all} changes={changes} />
        )
      }
    </QueryView>
  );
}

interface StatesProps {
  readonly run: Run;
  readonly checkpoints: readonly Checkpoint[];
  readonly changes: ReadonlyMap<string, readonly ChannelChange[]>;
}

function States({ run, checkpoints, changes }: StatesProps): JSX.Element | null {
  const id = useId();
  // Until the person moves the slider, it follows the latest checkpoint.
  const [taken, setTaken] = useState<number | null>(null);
  const [other, setOther] = useState<number | null>(null);
  const last = checkpoints.length - 1;
  const index = Math.min(taken ?? last, last);
  const before = other ?? Math.max(0, index - 1);
  const checkpoint = checkpoints[index];
  const base = checkpoints[before];
  if (!checkpoint || !base) return null;
  return (
    <div className="stack">
      <section className="card stack" aria-label="Checkpoint">
        <label htmlFor={`${id}-slider`}>
          Checkpoint {index + 1} of {checkpoints.length}
        </label>
        <input
          id={`${id}-slider`}
          type="range"
          min={0}
          max={last}
          value={index}
          aria-valuetext={`${index + 1}, ${describeCheckpoint(checkpoint)}`}
          onChange={({ target }) => setTaken(Number(target.value))}
        />
        <p>
          <strong>{describeCheckpoint(checkpoint)}</strong> <Time at={checkpoint.createdAt} />{' '}
          <span className="mono muted">{checkpoint.id}</span>
        </p>
        <ChangedBy changes={changes.get(checkpoint.id) ?? []} />
        <div className="actions">
          <ForkButton run={run} checkpoint={checkpoint} />
        </div>
      </section>
      <section className="card stack" aria-label="Changes">
        <div className="row">
          <h2>What has changed</h2>
          <label className="check">
            since
            <select value={before} onChange={({ target }) => setOther(Number(target.value))}>
              {checkpoints.map((one, number) => (
                <option key={one.id} value={number}>
                  {number + 1}: {describeCheckpoint(one)}
                </option>
              ))}
            </select>
          </label>
          {other !== null && (
            <button type="button" className="button small" onClick={() => setOther(null)}>
              The one before
            </button>
          )}
        </div>
        <DiffView
          before={base.values}
          after={checkpoint.values}
          titles={[`Checkpoint ${before + 1}`, `Checkpoint ${index + 1}`]}
        />
      </section>
      <section className="card stack" aria-label="Values">
        <h2>All values</h2>
        <JsonView value={checkpoint.values} />
      </section>
    </div>
  );
}

function ChangedBy({ changes }: { readonly changes: readonly ChannelChange[] }): JSX.Element | null {
  if (changes.length === 0) return null;
  return (
    <ul className="changes" aria-label="Changed by">
      {changes.map(({ channel, by }) => (
        <li key={`${channel} ${by}`}>
          <strong>{channel}</strong> <span className="muted">by {by}</span>
        </li>
      ))}
    </ul>
  );
}

const PAGE = 200;
/** The number of checkpoints to load. Each has all values, so older ones are left out. */
const MOST = 1_000;

/** The latest checkpoints of a run, the oldest first. */
function useCheckpoints(runId: string): UseQueryResult<readonly Checkpoint[]> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.run(runId), 'checkpoints'],
    queryFn: async ({ signal }) => {
      const found: Checkpoint[] = [];
      for await (const checkpoint of client.runs.checkpoints(runId, { limit: PAGE }, { signal })) {
        found.push(checkpoint);
        if (found.length >= MOST) break;
      }
      return found.reverse();
    },
  });
}
