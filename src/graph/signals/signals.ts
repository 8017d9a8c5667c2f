import { cancel } from './cancel.ts';
import { decisionSignal } from './decide.ts';
import { edit } from './edit.ts';
import { event } from './event.ts';
import { fail } from './fail.ts';
import { pause } from './pause.ts';
import { reassignSignal } from './reassign.ts';
import { replan } from './replan.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { skip } from './skip.ts';
import type { SignalKind } from './signal.ts';

/** The signals that a run takes, by name. */
export const signals: ReadonlyMap<string, SignalKind> = new Map<string, SignalKind>([
  ['approve', decisionSignal('approve', 'Approve: {"approvalId"?, "reason"?, "args"?, "values"?, "digest"?}')],
  ['reject', decisionSignal('reject', 'Reject: {"approvalId"?, "reason"?, "values"?, "digest"?}')],
  ['reassign', reassignSignal],
  ['pause', pause],
  ['resume', resume],
  ['replan', replan],
  ['edit', edit],
  ['event', event],
  ['cancel', cancel],
  ['retry', retry],
  ['skip', skip],
  ['fail', fail],
]);
