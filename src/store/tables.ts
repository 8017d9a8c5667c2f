import type { ColumnType, Generated } from 'kysely';
import type { Approval, RecordedOccurrence, RunStatus, SentSignal } from '../graph/run/index.ts';
import type { Checkpoint, EndedRunState, ResumePoint, RunEvent, RunView } from '../graph/journal/index.ts';
import type { GraphIssue, CatalogKind } from '../graph/definition/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Divergence, DivergingEvents } from '../graph/replay/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import type { Optional, OptionalPayload, OptionalText, OptionalTime, Payload, Time } from './database/columns.ts';
import type {
  LedgerTable,
  HookMessagesTable,
  HooksTable,
  SchedulesTable,
  ScheduleTicksTable,
  WebhookDeliveriesTable,
  WebhookEventsTable,
  WebhooksTable,
} from './platform-tables.ts';

/** The tables as Kysely sees them. Payloads are `json` columns: written as text, read as values. */
export interface Tables {
  definitions: DefinitionsTable;
  graphs: GraphsTable;
  graph_aliases: GraphAliasesTable;
  memory: MemoryTable;
  memory_vectors: MemoryVectorsTable;
  files: FilesTable;
  file_pieces: FilePiecesTable;
  schedules: SchedulesTable;
  schedule_ticks: ScheduleTicksTable;
  runs: RunsTable;
  events: EventsTable;
  occurrences: OccurrencesTable;
  checkpoints: CheckpointsTable;
  snapshots: SnapshotsTable;
  threads: ThreadsTable;
  approvals: ApprovalsTable;
  approval_comments: ApprovalCommentsTable;
  ledger: LedgerTable;
  blobs: BlobsTable;
  blob_pieces: BlobPiecesTable;
  idempotency: IdempotencyTable;
  stream_tickets: StreamTicketsTable;
  written_batches: WrittenBatchesTable;
  webhooks: WebhooksTable;
  webhook_events: WebhookEventsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  hooks: HooksTable;
  hook_messages: HookMessagesTable;
  switches: SwitchesTable;
  tenant_terms: TenantTermsTable;
  audit: AuditTable;
}

/** A divergence, and its events as callers see them who may not see payloads. */
export interface KeptDivergence extends Divergence {
  readonly redacted: DivergingEvents;
}

export interface DefinitionsTable {
  hash: string;
  definition: Payload<JsonObject>;
}

export interface GraphsTable {
  tenant_id: string;
  name: string;
  version: number;
  hash: string;
  warnings: Payload<readonly GraphIssue[]>;
  pins: Payload<Readonly<Record<string, number>>>;
  created_at: Time;
  created_by: string;
  /** Set while new runs may not use the version. */
  unpublished_at: OptionalTime;
  unpublished_by: OptionalText;
}

export interface RunsTable {
  id: string;
  tenant_id: string;
  status: RunStatus;
  graph_name: string;
  graph_version: number | null;
  graph_hash: string;
  thread_id: string | null;
  parent_run_id: string | null;
  /** The run whose answers a replay was given. */
  replay_of: string | null;
  divergence: OptionalPayload<KeptDivergence>;
  /** The input of the workflow: an accepted run can always be started with it. */
  start: Payload;
  /** The input of a later execution, after the run was reopened. */
  reopening: OptionalPayload;
  input: Payload<JsonObject>;
  limits: Payload<JsonObject>;
  metadata: Payload<JsonObject>;
  /** What of its metadata a run is found by. */
  labels: readonly string[];
  redaction: Payload<Redaction>;
  created_by: string;
  created_at: Time;
  /** Goes up each time the run is reopened. */
  execution: number;
  /** False while the run waits in the queue of its thread. */
  is_dequeued: boolean;
  /** The run of the thread whose state this one goes on from. */
  predecessor_id: string | null;
  /** The active run of the thread is to be canceled for this one. */
  interrupts: boolean;
  /** Signals that were sent while the run was queued. */
  queued_signals: ColumnType<readonly SentSignal[], string | undefined, string>;
  /** The time when Temporal took the workflow; `null`: the sweeper will start it. */
  dispatched_at: OptionalTime;
  /** Until then another process has claimed the dispatch. */
  dispatch_after: Time;
  /** The reason why the last try to start the workflow has failed. */
  dispatch_problem: OptionalText;
  dispatch_problem_since: OptionalTime;
  started_at: OptionalTime;
  ended_at: OptionalTime;
  /** The time when the last batch of its journal came. */
  written_at: OptionalTime;
  /** Temporal's id of the execution whose workflow task has failed. */
  failing_execution: OptionalText;
  failing_by: Optional<'code' | 'temporal' | 'queue' | 'machine'>;
  failing_reason: OptionalText;
  /** How often it is shown that the run's own code has failed it. */
  failing_proofs: ColumnType<number, undefined, number>;
  /** The last event that the row includes; an older view changes nothing. */
  last_seq: number;
  /** What its model calls have cost; that of the view. */
  cost_usd: ColumnType<number, undefined, number>;
  view: OptionalPayload<RunView>;
  /** The state from which an ended run can be reopened. */
  ended_state: OptionalPayload<EndedRunState>;
}

export interface EventsTable {
  run_id: string;
  seq: number;
  execution_run_id: string;
  type: string;
  /** The key of the call that the event tells of; `null`: of none. */
  call_key: string | null;
  body: Payload<RunEvent>;
}

/** Occurrences that a run has taken in, for replays. */
export interface OccurrencesTable {
  run_id: string;
  number: number;
  body: Payload<RecordedOccurrence>;
}

export interface CheckpointsTable {
  id: string;
  run_id: string;
  seq: number;
  parent_id: string | null;
  step: number;
  source: Checkpoint['source'];
  next: Payload<Checkpoint['next']>;
  changes: Payload<Checkpoint['changes']>;
  resume_point: Payload<Checkpoint['resumePoint']>;
  /** The size of changes and resume point. */
  bytes: number;
  created_at: Time;
}

/** The whole state at a checkpoint, so that earlier changes need not be read. */
export interface SnapshotsTable {
  checkpoint_id: string;
  run_id: string;
  seq: number;
  channels: Payload<JsonObject>;
  resume_point: Payload<ResumePoint>;
  bytes: number;
}

export interface ThreadsTable {
  tenant_id: string;
  id: string;
  /** The only run of the thread that may be running. */
  active_run_id: string | null;
  last_run_id: string;
  /** Runs wait in its queue. */
  has_queue: boolean;
  created_at: Time;
  updated_at: Time;
}

export interface ApprovalsTable {
  id: string;
  tenant_id: string;
  run_id: string;
  status: Approval['status'];
  requested_at: Time;
  expires_at: Time;
  tool: OptionalText;
  /** The last time that a person has reminded of it. */
  reminded_at: OptionalTime;
  /** The request that has reminded of it last; the same for all its tries. */
  reminder_id: OptionalText;
  /** The next reminder or escalation that webhooks are to be told of. */
  notice_at: OptionalTime;
  /** When it was decided, has expired or was canceled. */
  closed_at: OptionalTime;
  /** The last event that the row includes; an older state changes nothing. */
  seq: number;
  body: Payload<Approval>;
}

/** Payloads that are too large for Temporal's histories. */
export interface BlobsTable {
  id: string;
  workflow_id: string;
  metadata: Payload<Readonly<Record<string, string>>>;
  /** `null`: the blob is large, and in pieces. */
  data: Optional<Uint8Array>;
  /** The digests of its pieces, in order; `null`: it is whole. */
  pieces: OptionalPayload<readonly string[]>;
  created_at: Time;
}

/** Pieces of large blobs. With an embedded database they are files. */
export interface BlobPiecesTable {
  workflow_id: string;
  digest: string;
  data: Uint8Array;
}

export interface IdempotencyTable {
  tenant_id: string;
  subject: string;
  route: string;
  key: string;
  fingerprint: string;
  resource_id: string;
  /** Until then the request may still be at work. */
  lease_until: Time;
  status: number | null;
  headers: OptionalPayload<Readonly<Record<string, string>>>;
  body: OptionalPayload;
  created_at: Time;
}

/** What people say about approvals. */
export interface ApprovalCommentsTable {
  id: string;
  approval_id: string;
  run_id: string;
  written_by: string;
  text: string;
  created_at: Time;
}

/** Who has done what over HTTP. Rows outlive what they tell of. */
export interface AuditTable {
  id: string;
  at: Time;
  /** The tenant of the thing. */
  tenant_id: string;
  action: string;
  /** The id or name of the thing; `null`: there is none. */
  subject: OptionalText;
  run_id: OptionalText;
  acted_by: string;
  acted_by_tenant: string;
  roles: readonly string[];
  request_id: string;
}

/** What is known of files, besides their bytes. */
export interface FilesTable {
  id: string;
  tenant_id: string;
  /** Names its pieces. */
  upload_id: string;
  /** In bytes. */
  size: number;
  content_type: string;
  /** In hexadecimal digits. */
  sha256: string;
  created_at: Time;
  created_by: string;
  /** The time when it was stored or last read, a day late at most. */
  used_at: Time;
}

/** Bytes of files, and of uploads that are no file yet. */
export interface FilePiecesTable {
  upload_id: string;
  /** From 0, without gaps. */
  number: number;
  data: Uint8Array;
  created_at: Time;
}

/** Names for versions. */
export interface GraphAliasesTable {
  tenant_id: string;
  name: string;
  alias: string;
  version: number;
  canary_version: number | null;
  /** The part of runs that get the canary, from 0 to 1. */
  canary_share: number | null;
  updated_at: Time;
  updated_by: string;
}

/** Values that outlive runs. */
export interface MemoryTable {
  tenant_id: string;
  namespace: string;
  key: string;
  value: Payload;
  /** What the entry is found by. */
  words: string;
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  updated_run: string | null;
  expires_at: OptionalTime;
  /** The model whose vector of the words is kept; `null`: there is none, or it is of other words. */
  embedded_by: OptionalText;
  /** Until then somebody else makes the vector, or it is pointless to try. */
  embed_after: ColumnType<Date, Date | string, Date | string>;
}

/** What entries mean. The table is made when a model is configured: its database needs an extension for it. */
export interface MemoryVectorsTable {
  tenant_id: string;
  namespace: string;
  key: string;
  /** As pgvector writes it: `[0.1,0.2]`. */
  vector: string;
}

/** The things that can be switched off. */
export type SwitchKind = CatalogKind;

/** Things that administrators have switched off, or on again. */
export interface SwitchesTable {
  kind: SwitchKind;
  name: string;
  state: 'on' | 'off';
  reason: string;
  /** The tenants for which it is off; `null`: for all. */
  tenants: readonly string[] | null;
  changed_at: Time;
  changed_by: string;
}

/** What administrators say of a tenant's quotas: `null` lifts one; of what is absent, the configuration counts. */
export interface QuotaTerms {
  readonly runsPerMinute?: number | null;
  readonly costUsdPerDay?: number | null;
}

/** What administrators have laid down for tenants. */
export interface TenantTermsTable {
  tenant_id: string;
  quota: Payload<QuotaTerms>;
  /** Set while the tenant may start no runs. */
  suspended_at: OptionalTime;
  suspended_reason: OptionalText;
  changed_at: Time;
  changed_by: string;
}

/** One-time keys for streams of runs. */
export interface StreamTicketsTable {
  /** A hash of the ticket, which itself is not kept. */
  hash: string;
  /** The tenant of the run. */
  tenant_id: string;
  run_id: string;
  /** The person who asked for the ticket. */
  subject: string;
  sees_payloads: boolean;
  /** The last event that the person knows. */
  after_seq: number;
  /** The end of the token that the ticket was asked for with. */
  token_expires_at: OptionalTime;
  expires_at: Time;
}

/** Events that were written together, for an hour: the order in which a tenant's events are streamed. */
export interface WrittenBatchesTable {
  tenant_id: string;
  /** The transaction. */
  xid: Generated<string>;
  run_id: string;
  first_seq: number;
  last_seq: number;
  written_at: Generated<Date>;
}
