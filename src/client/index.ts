export { createClient } from './create-client.ts';
export type { Client } from './create-client.ts';
export { HoldfastError } from './holdfast-error.ts';
export type { ErrorCode } from './holdfast-error.ts';
export type { CallOptions, ClientOptions } from './send.ts';
export type {
  Approval,
  Call,
  Checkpoint,
  Explanation,
  Graph,
  GraphAlias,
  GraphDiff,
  GraphSummary,
  GraphTest,
  Intervention,
  Problem,
  Recording,
  Run,
  RunDiff,
  RunStatus,
  State,
  StreamTicket,
  TestedGraph,
  Thread,
  Tool,
  Validation,
} from './answers.ts';
export type {
  Admin,
  AdminRun,
  AdminRunFilter,
  AuditEntry,
  AuditFilter,
  InspectedRun,
  LedgerRow,
  NewSwitch,
  Pruned,
  Switch,
  Tenant,
  TenantTerms,
} from './admin/admin.ts';
export type { ApprovalFilter, Decision, DecisionResult, NamedDecision, Reassignment } from './approvals.ts';
export type { FollowOptions } from './follow-run.ts';
export type { Listing, Page } from './listing.ts';
export type { Files, NewFile, StoredFile } from './files/files.ts';
export type { MemoryEntry, MemoryFilter, NewMemory } from './memory.ts';
export type { RunFilter } from './run-filter.ts';
export type { Bulk, BulkResult, CallFilter, Decide, Fork, Replay, StateEdit, TaggedState } from './runs.ts';
export type { Hook, NewHook } from './hooks.ts';
export type { NewRun, StartOptions } from './start-run.ts';
export type { NewSchedule, Schedule, ScheduleChange, Tick } from './schedules/schedules.ts';
export type { EventFilter, TenantEvent } from './streams/stream-events.ts';
export type { TokenEvent } from './streams/stream-run.ts';
export type { TypedGraph, TypedRun, TypedStart } from './graphs/typed-graph.ts';
export type { WaitOptions } from './wait-for-run.ts';
export type { DeliveryFilter, NewWebhook, Webhook, WebhookDelivery, WebhookWithSecret } from './webhooks.ts';
