import { isUnknownOutcome } from '../../graph/values/index.ts';
import { control, leaveToDeciders } from './control.ts';
import type { Action } from './control.ts';
import type { Facts, OnlyForked, ShownRun } from './facts.ts';

/** Finds the ways on from a failed run. */
export function waysOn(facts: Facts): readonly Action[] {
  return facts.onlyForked ? forks(facts, facts.onlyForked) : [retry(facts), ...skips(facts)];
}

function forks(facts: Facts, { why, checkpoint }: OnlyForked): readonly Action[] {
  if (checkpoint === null) return [];
  return [control(facts, 'fork', { effect: FORKS[why], body: { checkpoint }, words: ['--checkpoint', checkpoint] })];
}

const FORKS: Readonly<Record<OnlyForked['why'], string>> = {
  stateless: 'Goes on as another run, from the last checkpoint; this one was ended without its last steps.',
  undone:
    'Goes on as another run, from the last checkpoint before the calls that were undone; this one takes no retry.',
};

/** A call of unknown outcome is made again only for who names its node. */
function retry(facts: Facts): Action {
  const { error } = facts.run;
  const effect = retryEffect(facts.run);
  const node = error && isUnknownOutcome(error) ? error.node : undefined;
  if (node === undefined) return control(facts, 'retry', { effect, body: {} });
  return control(facts, 'retry', { effect: `${effect} ${REPEATED}`, body: { node }, words: ['--node', node] });
}

const REPEATED = 'The call of unknown outcome is made again; it may have been made before.';

/** Errors after which a retry only helps with other limits. */
const OF_LIMITS: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED', 'DEADLINE_EXCEEDED', 'GRAPH_RECURSION_LIMIT']);

function retryEffect({ error }: ShownRun): string {
  const higher =
    error && OF_LIMITS.has(error.code)
      ? ' Give it higher `limits`, as far as its graph allows, or it fails again.'
      : '';
  return `Goes on from what has failed; finished work is kept.${higher}`;
}

/** A run that no node has failed can't go on without one. */
function skips(facts: Facts): readonly Action[] {
  const node = facts.run.error?.node;
  if (node === undefined) return [];
  const skip = control(facts, 'skip', {
    effect: `Goes on without node ${node}, with an output of yours.`,
    body: { node, output: null },
    words: ['--node', node, '--output', 'null'],
  });
  return [facts.heldFromReader.has(node) ? leaveToDeciders(skip, `the approvals of node ${node}`) : skip];
}
