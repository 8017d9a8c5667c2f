export { formatApproval, whoDecides } from './approvals.ts';
export { commandsOf, holdfastCommand, temporalCommand } from './commands.ts';
export { createEventFormatter } from './events.ts';
export { control, decisionsOf, isDecision } from './next-actions.ts';
export type { NextAction } from './next-actions.ts';
export { REASON_KINDS, formatReason, nextActions, waitingReason } from './reasons.ts';
export type { AwaitedApproval, Obstacle, Reason, Stop, SwitchedOff, UndatedReason } from './reasons.ts';
export { retryLine, waitingLines } from './waiting-lines.ts';
