import { cancelSignal, pauseSignal, replanSignal, resumeSignal } from './controls.ts';
import { decisionSignal, reassignSignal } from './decide.ts';
import { editSignal } from './edit.ts';
import { eventSignal } from './event.ts';
import { failSignal, retrySignal, skipSignal } from './interventions.ts';
import type { SignalKind } from './signal.ts';

/** The signals that a run accepts, by name. */
export const signals: ReadonlyMap<string, SignalKind> = new Map<string, SignalKind>([
  ['approve', decisionSignal('approve', 'Approve: {"approvalId"?, "reason"?, "args"?, "values"?, "digest"?}')],
  ['reject', decisionSignal('reject', 'Reject: {"approvalId"?, "reason"?, "values"?, "digest"?}')],
  ['reassign', reassignSignal],
  ['pause', pauseSignal],
  ['resume', resumeSignal],
  ['replan', replanSignal],
  ['edit', editSignal],
  ['event', eventSignal],
  ['cancel', cancelSignal],
  ['retry', retrySignal],
  ['skip', skipSignal],
  ['fail', failSignal],
]);
