import { forkRun, reopenRun, startRun } from './advance.ts';
import type { Advance, RunIdentity, RunStart } from './advance.ts';
import type { CompiledGraph } from './compile.ts';
import type { ForkStart } from './fork.ts';
import type { JsonObject } from './json.ts';
import { readRun } from './run-format.ts';
import type { KeptRun } from './run-format.ts';

/** What an execution begins with: an input, the state of another run, or the run that had ended and a signal for it. */
export type Beginning =
  | ({ readonly kind: 'input' } & Omit<RunStart, 'startedAt'>)
  | ({ readonly kind: 'fork'; readonly fork: ForkStart } & Pick<RunStart, 'breakpoints'>)
  | { readonly kind: 'reopen'; readonly run: KeptRun; readonly name: string; readonly payload: JsonObject };

/** Makes the run that an execution begins with. @param at milliseconds since the epoch */
export function beginRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { begin, at }: { readonly begin: Beginning; readonly at: number },
): Advance {
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: at });
    case 'reopen':
      return reopenRun(graph, readRun(begin.run), { ...begin, at });
    case 'fork': {
      const forked = forkRun(graph, identity, { ...begin, startedAt: at });
      if ('code' in forked) throw new TypeError(forked.message);
      return forked;
    }
  }
}
