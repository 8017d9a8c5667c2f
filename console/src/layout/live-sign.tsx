import type { JSX } from 'react';
import { useLive } from '../live/use-live.ts';
import type { Liveness } from '../live/use-live.ts';

const WORDS: Readonly<Record<Liveness, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Not live: the API is away',
};

/** Says if what is shown follows what happens. */
export function LiveSign(): JSX.Element {
  const liveness = useLive();
  return (
    <p className={`live-sign ${liveness}`} role="status">
      <span aria-hidden="true" className="dot" />
      {WORDS[liveness]}
    </p>
  );
}
