export {
  approvalDigest,
  closingDecision,
  isPendingFor,
  refuseDecision,
  toPublicApproval,
  quorumProgressOf,
} from './approval.ts';
export {
  MAX_NAMED_APPROVALS,
  approvalToDecide,
  firstApprovalId,
  approvalName,
  approvalNames,
} from './approval-to-decide.ts';
export type { KnownApprovals } from './approval-to-decide.ts';
export type { Approval, DecisionRequest, PublicApproval, QuorumProgress } from './approval.ts';
export { MAX_INHERITED, approvalsToInherit, closedApprovals } from './earlier-approvals.ts';
export type { ClosedApproval } from './earlier-approvals.ts';
export {
  calleeName,
  calleeOf,
  isAccountable,
  isCallReply,
  isLocalCall,
  isUnsafeCall,
  needsSettlement,
} from './call.ts';
export type {
  CallEffect,
  CallReply,
  CallRequest,
  ContextPolicy,
  ContextReport,
  Effect,
  FunctionCallRequest,
  LocalEffect,
  ModelCallRequest,
  ModelReply,
  NodeCallRequest,
  OverflowReply,
  ProviderParts,
  ReadingRequest,
  TimerEffect,
  ToolCallRequest,
  ValueReply,
} from './effect.ts';
export {
  mayMeanIntervention,
  approvalTimerId,
  nodeOfIntervention,
  parseCallKey,
  parseCheckpointId,
  taskKey,
  taskOfCall,
} from './ids.ts';
export type { TaskReference } from './ids.ts';
export { limitsOfRun } from './limits.ts';
export type { LimitsOfRun } from './limits.ts';
export type {
  CallResult,
  Occurrence,
  OccurrenceBody,
  RecordedOccurrence,
  SentSignal,
  SignalResult,
  Refusal,
  RefusalCode,
} from './occurrence.ts';
export { SUMMARY_REQUEST, asksForSummary } from './model-turn.ts';
export { RUN_PERMISSIONS, hasPermission, isPrincipal, mayCall, mayReadFile } from './principal.ts';
export type { Principal } from './principal.ts';
export { readRun } from './run.ts';
export type { StoredRun, Breakpoints, EarlierCall, ParentRun, Run } from './run.ts';
export { describeUndone, includesUndoneWork } from './compensation.ts';
export type { UndoneWork } from './compensation.ts';
export { refuseSeveral } from './occurrence.ts';
export { TAKEN_IN, hasEnded, isEnded, isRunStatus, isTakenIn, statusOf } from './status.ts';
export type { RunStatus } from './status.ts';
export { hasLostSeveral } from './unknown-outcomes.ts';
