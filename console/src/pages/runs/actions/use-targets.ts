import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import { targetsOf } from './targets-of.ts';
import { withGone } from './with-gone.ts';
import type { OfferedTarget } from './with-gone.ts';

/** The targets that a dialog offers while its run goes on: also those that it has opened with and that are gone, first of all. */
export function useTargets(run: Run): readonly OfferedTarget[] {
  const [opened] = useState(() => targetsOf(run));
  return useMemo(() => withGone(opened, targetsOf(run)), [opened, run]);
}
