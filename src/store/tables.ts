import type { ColumnType, Generated } from 'kysely';
import type { Approval, RecordedOccurrence, RunStatus, SentSignal } from '../graph/run/index.ts';
import type { Checkpoint, EndedRunState, ResumePoint, RunEvent, RunView } from '../graph/journal/index.ts';
import type { GraphIssue, CatalogKind } from '../graph/definition/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import type { KeptDivergence, QuotaTerms } from './column-values.ts';
import type { Optional, OptionalPayload, OptionalText, OptionalTime, Payload, Time } from './database/columns.ts';
import type {
  LedgerTable,
  HookMessagesTable,
  HooksTable,
  SchedulesTable,
  ScheduleFiresTable,
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
  schedule_fires: ScheduleFiresTable;
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
  /** Set while new runs must not use the version. */
  unpublished_at: OptionalTime;
  unpublished_by: OptionalText;
  /** Counts publications of the name, from 1. The name means the version with the highest number. */
  publication: number;
  /** The number of the last publication by a configuration, `null` without one. */
  configured: number | null;
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
  /** The run whose recorded answers a replay uses. */
  replay_of: string | null;
  divergence: OptionalPayload<KeptDivergence>;
  /** The input of the workflow, with which an accepted run can always be started. */
  start: Payload;
  /** The input of a later execution, after the run was reopened. */
  reopening: OptionalPayload;
  input: Payload<JsonObject>;
  limits: Payload<JsonObject>;
  metadata: Payload<JsonObject>;
  /** The searchable labels of the metadata. */
  labels: readonly string[];
  redaction: Payload<Redaction>;
  created_by: string;
  created_at: Time;
  /** Increases each time the run is reopened. */
  execution: number;
  /** False while the run waits in the queue of its thread. */
  is_dequeued: boolean;
  /** The run of the thread whose state this run continues with. */
  predecessor_id: string | null;
  /** The active run of the thread must be canceled in favor of this one. */
  interrupts: boolean;
  /** Signals that were sent while the run was queued. */
  queued_signals: ColumnType<readonly SentSignal[], string | undefined, string>;
  /** When Temporal accepted the workflow; while it is `null`, the sweeper starts the workflow. */
  dispatched_at: OptionalTime;
  /** The end of another process's claim of the dispatch. */
  dispatch_after: Time;
  /** The reason why the last attempt to start the workflow has failed. */
  dispatch_problem: OptionalText;
  dispatch_problem_since: OptionalTime;
  started_at: OptionalTime;
  ended_at: OptionalTime;
  /** When the last batch of the run's journal was written. */
  written_at: OptionalTime;
  /** Temporal's id of the execution whose workflow task has failed. */
  failing_execution: OptionalText;
  failing_by: Optional<'code' | 'temporal' | 'queue' | 'machine'>;
  failing_reason: OptionalText;
  /** How many failures are proven to be caused by the run's own code. */
  failing_proofs: ColumnType<number, undefined, number>;
  /** The last event that the row includes; a batch with an older view does not change the row. */
  last_seq: number;
  /** The cost of its model calls, copied from the view. */
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
  /** The key of the call that the event is about; `null` for none. */
  call_key: string | null;
  body: Payload<RunEvent>;
}

/** Occurrences that a run has processed, for replays. */
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
  /** The size of changes and resume point in bytes. */
  bytes: number;
  created_at: Time;
}

/** The complete state at a checkpoint, so that earlier changes need not be read. */
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
  /** The only run of the thread that may be active. */
  active_run_id: string | null;
  last_run_id: string;
  /** True while runs wait in its queue. */
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
  /** The time of the last reminder. */
  reminded_at: OptionalTime;
  /** The request of the last reminder; the same for all its attempts. */
  reminder_id: OptionalText;
  /** When webhooks must be notified of the next reminder or escalation. */
  notice_at: OptionalTime;
  /** When the approval was decided, expired or canceled. */
  closed_at: OptionalTime;
  /** The last event that the row includes; an older state does not change the row. */
  seq: number;
  body: Payload<Approval>;
}

/** Payloads that are too large for Temporal's histories. */
export interface BlobsTable {
  id: string;
  workflow_id: string;
  metadata: Payload<Readonly<Record<string, string>>>;
  /** `null` when the blob is large and stored in pieces. */
  data: Optional<Uint8Array>;
  /** The digests of the pieces, in order; `null` when the blob is stored whole. */
  pieces: OptionalPayload<readonly string[]>;
  created_at: Time;
}

/** Pieces of large blobs. With an embedded database they are stored as files instead. */
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
  /** The end of the lease of the current attempt. */
  lease_until: Time;
  status: number | null;
  headers: OptionalPayload<Readonly<Record<string, string>>>;
  body: OptionalPayload;
  created_at: Time;
}

/** Comments on approvals. */
export interface ApprovalCommentsTable {
  id: string;
  approval_id: string;
  run_id: string;
  written_by: string;
  text: string;
  created_at: Time;
}

/** The audit log of acts over HTTP. Rows are kept after their subject is deleted. */
export interface AuditTable {
  id: string;
  at: Time;
  /** The tenant of the subject. */
  tenant_id: string;
  action: string;
  /** The id or name of the subject; `null` when there is none. */
  subject: OptionalText;
  run_id: OptionalText;
  acted_by: string;
  acted_by_tenant: string;
  roles: readonly string[];
  request_id: string;
}

/** The metadata of files. */
export interface FilesTable {
  id: string;
  tenant_id: string;
  /** Identifies the pieces of the file. */
  upload_id: string;
  /** The size in bytes. */
  size: number;
  content_type: string;
  /** The SHA-256 hash in hexadecimal digits. */
  sha256: string;
  created_at: Time;
  created_by: string;
  /** When the file was stored or last read, with a precision of one day. */
  used_at: Time;
}

/** The bytes of files and of unfinished uploads. */
export interface FilePiecesTable {
  upload_id: string;
  /** The index of the piece, starting at 0, without gaps. */
  number: number;
  data: Uint8Array;
  created_at: Time;
}

/** Aliases of graph versions. */
export interface GraphAliasesTable {
  tenant_id: string;
  name: string;
  alias: string;
  version: number;
  canary_version: number | null;
  /** The share of runs that use the canary, from 0 to 1. */
  canary_share: number | null;
  updated_at: Time;
  updated_by: string;
}

/** Memory entries. */
export interface MemoryTable {
  tenant_id: string;
  namespace: string;
  key: string;
  value: Payload;
  /** The searchable text of the entry. */
  words: string;
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  updated_run: string | null;
  expires_at: OptionalTime;
  /** The model of the stored vector; `null` when there is no vector of the current words. */
  embedded_by: OptionalText;
  /** Until this time, the entry is not embedded, because another process does so or the model has refused it. */
  embed_after: ColumnType<Date, Date | string, Date | string>;
}

/**
 * Vectors of memory entries. The table is created when a model is configured, because it needs a database extension.
 */
export interface MemoryVectorsTable {
  tenant_id: string;
  namespace: string;
  key: string;
  /** In pgvector's text format: `[0.1,0.2]`. */
  vector: string;
}

/** Switches that administrators have set, off or on. */
export interface SwitchesTable {
  kind: CatalogKind;
  name: string;
  state: 'on' | 'off';
  reason: string;
  /** The tenants for which it is off; `null` for all. */
  tenants: readonly string[] | null;
  changed_at: Time;
  changed_by: string;
}

/** Terms that administrators have set for tenants. */
export interface TenantTermsTable {
  tenant_id: string;
  quota: Payload<QuotaTerms>;
  /** Set while the tenant may not start runs. */
  suspended_at: OptionalTime;
  suspended_reason: OptionalText;
  changed_at: Time;
  changed_by: string;
}

/** Single-use tickets for streams of runs. */
export interface StreamTicketsTable {
  /** The hash of the ticket; the ticket itself is not stored. */
  hash: string;
  /** The tenant of the run. */
  tenant_id: string;
  run_id: string;
  /** The user who requested the ticket. */
  subject: string;
  sees_payloads: boolean;
  /** The last event that the user has received. */
  after_seq: number;
  /** When the token that requested the ticket expires. */
  token_expires_at: OptionalTime;
  expires_at: Time;
}

/**
 * Ranges of events that were written together, kept for an hour: they define the order in which a tenant's events are
 * streamed.
 */
export interface WrittenBatchesTable {
  tenant_id: string;
  /** The id of the writing transaction. */
  xid: Generated<string>;
  run_id: string;
  first_seq: number;
  last_seq: number;
  written_at: Generated<Date>;
}
