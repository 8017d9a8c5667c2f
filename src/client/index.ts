export { createClient } from './create-client.ts';
export type { Client } from './create-client.ts';
export type { Files, NewFile, StoredFile } from './files.ts';
export type { MemoryEntry, MemoryFilter, NewMemory } from './memory.ts';
export { HoldfastError } from './holdfast-error.ts';
export type { ErrorCode } from './holdfast-error.ts';
export type { CallOptions, ClientOptions } from './send.ts';
export type {
  Approval,
  Call,
  ChatMessage,
  ChatPage,
  Checkpoint,
  Explanation,
  Graph,
  Publication,
  RunGraph,
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
} from './admin.ts';
export type { ApprovalFilter, Decision, DecisionResult, NamedDecision, Reassignment } from './approvals.ts';
export type { FollowOptions } from './follow-run.ts';
export type { Listing, Page, RunFilter } from './listing.ts';
export type { Bulk, BulkResult, CallFilter, Decide, Fork, Replay, StateEdit, TaggedState } from './runs.ts';
export type {
  DeliveryFilter,
  Hook,
  NewHook,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from './webhooks.ts';
export type { NewRun, StartOptions } from './start-run.ts';
export type { NewSchedule, Schedule, ScheduleChange, Tick } from './schedules.ts';
export type { EventFilter, ProgressEvent, TenantEvent, TokenEvent } from './stream-events.ts';
export type { TypedGraph, TypedRun, TypedStart } from './typed-graph.ts';
export type { WaitOptions } from './wait-for-run.ts';
