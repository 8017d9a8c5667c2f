import { cancel, pause, replan, resume } from './controls.ts';
import { decisionSignal, reassignSignal } from './decide.ts';
import { edit } from './edit.ts';
import { event } from './event.ts';
import { fail, retry, skip } from './interventions.ts';
import type { SignalKind } from './signal.ts';

/** The signals that a run accepts, by name. */
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
