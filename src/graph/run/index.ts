export { digestOf } from './approvals/approval-digest.ts';
export { closingDecision, isPendingFor, refuseDecision } from './approvals/approval.ts';
export { MAX_NAMED, approvalMeant, firstApprovalId, nameOf, namesOf } from './approvals/approval-meant.ts';
export type { KnownApprovals } from './approvals/approval-meant.ts';
export type { Approval, DecisionRequest } from './approvals/approval.ts';
export { MAX_INHERITED, approvalsToInherit, closedApprovals } from './approvals/asked-before.ts';
export type { ClosedApproval } from './approvals/asked-before.ts';
export { toPublicApproval } from './approvals/public-approval.ts';
export type { PublicApproval } from './approvals/public-approval.ts';
export { quorumProgressOf } from './approvals/quorum-progress.ts';
export type { QuorumProgress } from './approvals/quorum-progress.ts';
export { calleeName, calleeOf, isAccountable, isCallReply, isLocal, isUnsafe, needsSettlement } from './call.ts';
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
export { approvalTimerId, nodeOfIntervention, parseCallKey, parseCheckpointId, taskKey, taskOfCall } from './ids.ts';
export type { TaskReference } from './ids.ts';
export { limitsOfRun } from './limits.ts';
export type { LimitsOfRun } from './limits.ts';
export type { Occurrence, OccurrenceBody, RecordedOccurrence, SentSignal } from './occurrence.ts';
export { SUMMARY_REQUEST, asksForSummary } from './model-turn.ts';
export { RUN_PERMISSIONS, hasPermission, mayCall, mayReadFile } from './principal.ts';
export type { Principal } from './principal.ts';
export type { SignalResult, Refusal, RefusalCode } from './refusal.ts';
export { readRun } from './run-format.ts';
export type { StoredRun } from './run-format.ts';
export type { Breakpoints, EarlierCall, ParentRun, Run } from './run.ts';
export { describeUndone, isBehind } from './compensation.ts';
export type { UndoneWork } from './compensation.ts';
export { TAKEN_IN, hasEnded, isEnded, isTakenIn, statusOf } from './status.ts';
export type { RunStatus } from './status.ts';
