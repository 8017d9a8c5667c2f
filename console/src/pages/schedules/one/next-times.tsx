import type { Schedule } from 'holdfast/client';
import type { JSX } from 'react';
import { Notice } from '../../../parts/notice.tsx';
import { Ago, Time } from '../../../parts/time.tsx';

/** The next times of a schedule. */
export function NextTimes({ schedule: { paused, nextTimes } }: { readonly schedule: Schedule }): JSX.Element {
  return (
    <section className="card stack" aria-label="Next times">
      <h2>Next times</h2>
      {paused && <p className="muted">None while it is paused.</p>}
      {nextTimes === null && <Notice kind="warn">Temporal does not say at the moment.</Notice>}
      {nextTimes !== null && !paused && (
        <ol className="times">
          {nextTimes.map((at) => (
            <li key={at}>
              <Time at={at} />{' '}
              <span className="muted">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
