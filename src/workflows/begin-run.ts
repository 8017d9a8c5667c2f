import { forkRun, reopenRun, startRun } from '../graph/advance.ts';
import type { Advance, RunIdentity } from '../graph/advance.ts';
import type { CompiledGraph } from '../graph/compile.ts';
import { readRun } from '../graph/run-format.ts';
import type { Beginning } from './contract.ts';

/** Makes the run that an execution begins with: of an input, of the state of another run, or of one that had ended. */
export function beginRun(graph: CompiledGraph, identity: RunIdentity, begin: Beginning): Advance {
  const now = Date.now();
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: now });
    case 'reopen':
      return reopenRun(graph, readRun(begin.run), { ...begin, at: now });
    case 'fork': {
      const forked = forkRun(graph, identity, { ...begin, startedAt: now });
      if ('code' in forked) throw new TypeError(forked.message);
      return forked;
    }
  }
}
