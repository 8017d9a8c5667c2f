import { REDACTED } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { whoDecides } from '../../graph/wording/index.ts';
import { curl, holdfast, temporal } from './commands.ts';
import type { Commands } from './commands.ts';
import type { AskedApproval, Facts, ShownRun } from './facts.ts';

/** What somebody can do with a run now. */
export interface Action {
  readonly action: ActionName;
  /** What it does here. */
  readonly effect: string;
  readonly who: string;
  /** The reader may do it. */
  readonly allowed: boolean;
  readonly command: Commands;
}

type ActionName = 'approve' | 'reject' | Control;
type Control = 'retry' | 'skip' | 'fail' | 'signal' | 'resume' | 'replan' | 'pause' | 'cancel' | 'fork';

/** Finds what can be done with a run, the nearest first. Who may not do it is told who may. */
export function actionsOf(facts: Facts): readonly Action[] {
  const { run, approvals } = facts;
  const isStateless = facts.forkedFrom !== null;
  return [
    ...approvals.flatMap((asked) => decisions(facts, asked)),
    ...run.waitingFor.flatMap((waiting) => settlements(facts, waiting)),
    ...(run.status === 'failed' ? waysOn(facts) : []),
    ...(run.status === 'paused' ? [control(facts, 'resume', { effect: 'Goes on from the pause.', body: {} })] : []),
    ...(REPLANNED.has(run.status) && !isStateless
      ? [control(facts, 'replan', { effect: REPLAN, body: { node: '…' }, words: ['…'] })]
      : []),
    ...(PAUSABLE.has(run.status) ? [control(facts, 'pause', { effect: PAUSE, body: {} })] : []),
    ...(isEnded(run.status) ? [] : [control(facts, 'cancel', { effect: CANCEL, body: {} })]),
  ];
}

const PAUSABLE: ReadonlySet<ShownRun['status']> = new Set(['running', 'waiting']);
const REPLANNED: ReadonlySet<ShownRun['status']> = new Set(['waiting', 'paused', 'failed']);
const REPLAN = 'Goes on at a node of yours only; what waits is given up.';
const PAUSE = 'Stops after the superstep that runs; decisions are still taken.';
const CANCEL = 'Ends the run. What its graph says is to be undone is undone.';
const CONTROLLERS = 'who may control runs (run:control)';

function decisions({ run, isLive, permissions }: Facts, { approval, isOwn }: AskedApproval): readonly Action[] {
  const { id, policy, tool } = approval;
  const reason = policy.requireReason === true ? { reason: '…' } : {};
  const words = policy.requireReason === true ? ['--reason', '…'] : [];
  const common = { who: whoDecides(policy), allowed: isOwn && permissions.has('approval:decide') };
  const subject = tool === undefined ? 'what is asked' : `the call of ${tool}`;
  return (['approve', 'reject'] as const).map((action) => ({
    ...common,
    action,
    effect: action === 'approve' ? `Approves ${subject}.` : `Rejects ${subject}; the graph says what follows.`,
    command: {
      curl: curl(`/api/approvals/${id}/decision`, { decision: action, ...reason }),
      holdfast: holdfast(action, id, ...words),
      temporal: isLive ? temporal(run.workflowId, action, { approvalId: id, ...reason }) : null,
    },
  }));
}

function settlements(facts: Facts, waiting: ShownRun['waitingFor'][number]): readonly Action[] {
  if (waiting.kind === 'intervention') {
    const { id, choices } = waiting;
    return choices.map(({ action, effect }) => {
      const output = action === 'skip' ? { output: null } : {};
      const words = action === 'skip' ? ['--id', id, '--output', 'null'] : ['--id', id];
      return control(facts, action, { effect, body: { id, ...output }, words });
    });
  }
  const { kind, id: event } = waiting;
  if (kind !== 'event' || event === undefined || event === REDACTED) return [];
  const effect = `Gives the event ${event} to node ${waiting.node}.`;
  return [control(facts, 'signal', { effect, body: { event }, words: ['--event', event], signal: 'event' })];
}

/** A run without an end of its own can't go on itself. */
function waysOn(facts: Facts): readonly Action[] {
  const { forkedFrom } = facts;
  if (forkedFrom === null) return afterFailure(facts);
  const { checkpoint } = forkedFrom;
  if (checkpoint === null) return [];
  return [control(facts, 'fork', { effect: FORK, body: { checkpoint }, words: ['--checkpoint', checkpoint] })];
}

const FORK = 'Goes on as another run, from the last checkpoint; this one was ended without its last steps.';

/** The ways on from a failed run. One that no node has failed can't go on without one. */
function afterFailure(facts: Facts): readonly Action[] {
  const { run } = facts;
  const node = run.error?.node;
  return [
    control(facts, 'retry', { effect: retryEffect(run), body: {} }),
    ...(node === undefined
      ? []
      : [
          control(facts, 'skip', {
            effect: `Goes on without node ${node}, with an output of yours.`,
            body: { node, output: null },
            words: ['--node', node, '--output', 'null'],
          }),
        ]),
  ];
}

interface ControlTerms {
  readonly effect: string;
  readonly body: JsonObject;
  /** The words of the command after the run. */
  readonly words?: readonly string[];
  /** The name of the signal, where it is not that of the route. */
  readonly signal?: string;
}

function control(
  { run, isLive, permissions }: Facts,
  action: Control,
  { effect, body, words = [], signal = action }: ControlTerms,
): Action {
  return {
    action,
    effect,
    who: CONTROLLERS,
    allowed: permissions.has('run:control'),
    command: {
      curl: curl(`/api/runs/${run.id}/${action}`, body),
      holdfast: holdfast(action, run.id, ...words),
      temporal: isLive ? temporal(run.workflowId, signal, body) : null,
    },
  };
}

/** Errors after which a retry only helps with other limits. */
const OF_LIMITS: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED', 'DEADLINE_EXCEEDED', 'GRAPH_RECURSION_LIMIT']);

function retryEffect({ error }: ShownRun): string {
  const higher =
    error && OF_LIMITS.has(error.code)
      ? ' Give it higher `limits`, as far as its graph allows, or it fails again.'
      : '';
  return `Goes on from what has failed; finished work is kept.${higher}`;
}
