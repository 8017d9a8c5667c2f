import { REDACTED } from '../../graph/redaction/index.ts';
import { isTakenIn } from '../../graph/run/index.ts';
import { whoDecides, quoteForShell } from '../../wording/index.ts';
import type { AskedApproval, Facts, ShownRun, OnlyForked } from './reasons.ts';
import { isUnknownOutcome } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { Permission } from '../../graph/definition/index.ts';

/** Finds what can be done with a run, the nearest first. Who may not do it is told who may. */
export function actionsOf(facts: Facts): readonly Action[] {
  const { run, approvals, onlyForked } = facts;
  const takes = (name: Parameters<typeof isTakenIn>[1]): boolean => isTakenIn(run.status, name);
  return [
    ...approvals.flatMap((asked) => decisions(facts, asked)),
    ...run.waitingFor.flatMap((waiting) => settlements(facts, waiting)),
    ...(run.status === 'failed' ? waysOn(facts) : []),
    ...(takes('resume') ? [resume(facts)] : []),
    ...(takes('replan') && !onlyForked ? [replan(facts)] : []),
    ...(takes('pause') ? [control(facts, 'pause', { effect: PAUSE, body: {} })] : []),
    ...(takes('cancel') ? [control(facts, 'cancel', { effect: CANCEL, body: {} })] : []),
  ];
}

const REPLAN = 'Goes on at a node of yours only; what waits is given up.';
const PAUSE = 'Stops after the superstep that runs; decisions are still taken.';
const CANCEL = 'Ends the run. What its graph says is to be undone is undone.';

/** It names the checkpoint: a pause that comes later is not ended by it. */
function resume(facts: Facts): Action {
  const { checkpoint } = facts;
  const named = checkpoint === null ? { body: {} } : { body: { checkpoint }, words: ['--checkpoint', checkpoint] };
  return control(facts, 'resume', { effect: 'Goes on from the pause.', ...named });
}

/** A replan passes what waits to be decided. An approval of several people, or with a reason, is passed by none. */
function replan(facts: Facts): Action {
  const action = control(facts, 'replan', { effect: REPLAN, body: { node: '…' }, words: ['…'] });
  const mayPass = ({ isOwn, approval: { policy } }: AskedApproval): boolean =>
    isOwn && (policy.quorum ?? 1) === 1 && policy.requireReason !== true;
  return facts.approvals.every(mayPass) ? action : leaveToDeciders(action, 'the approvals that wait');
}

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
    const { id, node, choices } = waiting;
    return choices.map(({ action, effect }) => {
      const output = action === 'skip' ? { output: null } : {};
      const words = action === 'skip' ? ['--id', id, '--output', 'null'] : ['--id', id];
      const settling = control(facts, action, { effect, body: { id, ...output }, words });
      const isHeld = action === 'skip' && facts.heldFromReader.has(id);
      return isHeld ? leaveToDeciders(settling, `the approvals of node ${node}`) : settling;
    });
  }
  const { kind, id: event } = waiting;
  if (kind !== 'event' || event === undefined || event === REDACTED) return [];
  const effect = `Gives the event ${event} to node ${waiting.node}.`;
  return [control(facts, 'signal', { effect, body: { event }, words: ['--event', event], signal: 'event' })];
}

/** An action as people type it. */
export interface Commands {
  /** Takes address and token from `HOLDFAST_URL` and `HOLDFAST_TOKEN`. */
  readonly curl: string;
  readonly holdfast: string;
  /** `null`: it can't be done that way. */
  readonly temporal: string | null;
}

/** A request to the API. */
function curl(path: string, body: JsonObject): string {
  const headers = `-H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json'`;
  return `curl -X POST "$HOLDFAST_URL${path}" ${headers} -d ${quoteForShell(JSON.stringify(body))}`;
}

/** A command of `holdfast`. Operands and values are quoted where a shell would read them otherwise. */
function holdfast(name: string, ...words: readonly string[]): string {
  return ['npx holdfast', name, ...words.map(asWord)].join(' ');
}

/** A signal by Temporal's own command. */
function temporal(workflowId: string, name: string, input: JsonObject): string {
  return `temporal workflow signal --workflow-id ${asWord(workflowId)} --name ${name} --input ${quoteForShell(JSON.stringify(input))}`;
}

function asWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : quoteForShell(text);
}

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

interface ControlTerms {
  readonly effect: string;
  readonly body: JsonObject;
  /** The words of the command after the run. */
  readonly words?: readonly string[];
  /** The name of the signal, where it is not that of the route. */
  readonly signal?: string;
}

const CONTROLLERS = { permission: 'run:control', who: 'who may control runs (run:control)' } as const;
const FORKERS = { permission: 'state:edit', who: 'who may edit states (state:edit)' } as const;

/** The people who may do a control. */
function peopleOf(action: Control): { readonly permission: Permission; readonly who: string } {
  return action === 'fork' ? FORKERS : CONTROLLERS;
}

/** Makes an action of a control of a run. */
function control(
  { run, isLive, permissions }: Facts,
  action: Control,
  { effect, body, words = [], signal = action }: ControlTerms,
): Action {
  const { permission, who } = peopleOf(action);
  return {
    action,
    effect,
    who,
    allowed: permissions.has(permission),
    command: {
      curl: curl(`/api/runs/${run.id}/${action}`, body),
      holdfast: holdfast(action, run.id, ...words),
      temporal: isLive ? temporal(run.workflowId, signal, body) : null,
    },
  };
}

/** Leaves a control that passes approvals to those who decide these alone. @param decided such as "the approvals of node pay" */
function leaveToDeciders(action: Action, decided: string): Action {
  return { ...action, allowed: false, who: `${CONTROLLERS.who} and alone decides ${decided}` };
}

/** Finds the ways on from a failed run. */
function waysOn(facts: Facts): readonly Action[] {
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
