import type { Permission } from '../../graph/definition/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { curl, holdfast, temporal } from './commands.ts';
import type { Commands } from './commands.ts';
import type { Facts } from './facts.ts';

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
export function control(
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
export function leaveToDeciders(action: Action, decided: string): Action {
  return { ...action, allowed: false, who: `${CONTROLLERS.who} and alone decides ${decided}` };
}
