import type { JSX } from 'react';
import { Ago } from '../../../parts/time.tsx';

interface ChangedProps {
  readonly at: string | null;
  readonly by: string | null;
}

/** When an administrator has said something, and who it was. */
export function Changed({ at, by }: ChangedProps): JSX.Element {
  if (at === null) return <>never</>;
  return (
    <>
      <Ago at={at} /> by {by}
    </>
  );
}
