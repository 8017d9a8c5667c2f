import type { ColumnType } from 'kysely';
import type { Approval, RecordedOccurrence, RunStatus, SentSignal } from '../graph/run/index.ts';
import type { Checkpoint, EndedRunState, ResumePoint, RunEvent, RunView } from '../graph/journal/index.ts';
import type { GraphIssue } from '../graph/definition/index.ts';
import type { Json, JsonObject, TaskFailure } from '../graph/values/index.ts';

/** The tables as Kysely sees them. Payloads are `json` columns: written as text, read as values. */
export interface Tables {
  definitions: DefinitionsTable;
  graphs: GraphsTable;
  runs: RunsTable;
  events: EventsTable;
  occurrences: OccurrencesTable;
  checkpoints: CheckpointsTable;
  snapshots: SnapshotsTable;
  threads: ThreadsTable;
  approvals: ApprovalsTable;
  ledger: LedgerTable;
  blobs: BlobsTable;
  idempotency: IdempotencyTable;
}

/** Where a replay first does something else than what was recorded. */
export interface Divergence {
  /** The number of the event. */
  readonly seq: number;
  /** The event as it was recorded; `null`: the recording had ended. */
  readonly expected: RunEvent | null;
  /** The event as it is now; `null`: the replay does nothing more. */
  readonly actual: RunEvent | null;
}

/** What we have written we can read as what it was. */
type Payload<T = Json> = ColumnType<T, string, string>;
type OptionalPayload<T = Json> = ColumnType<T | null, string | null | undefined, string | null>;
type Time = ColumnType<Date, string, string>;
type OptionalTime = ColumnType<Date | null, string | null | undefined, string | null>;

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
  /** The run whose recorded answers it was given. */
  replay_of: string | null;
  divergence: OptionalPayload<Divergence>;
  /** What the workflow is started with, so that a run that was accepted can always be started. */
  start: Payload;
  /** What its execution begins with instead, since it has gone on after it had ended. */
  reopening: OptionalPayload;
  input: Payload<JsonObject>;
  limits: Payload<JsonObject>;
  metadata: Payload<JsonObject>;
  redacted: Payload<readonly string[]>;
  created_by: string;
  created_at: Time;
  /** Goes up each time that a run which had ended goes on. */
  execution: number;
  /** It is its turn on its thread, or it is on none. */
  is_dequeued: boolean;
  /** The run of its thread whose state it goes on from. */
  predecessor_id: string | null;
  /** The run that is active on its thread is to be canceled for it. */
  interrupts: boolean;
  /** What it was told while it waited for its turn. */
  queued_signals: ColumnType<readonly SentSignal[], string | undefined, string>;
  /** When Temporal took the workflow; `null`: the run is accepted, and a sweeper will start it. */
  dispatched_at: OptionalTime;
  /** Until then somebody is at it. */
  dispatch_after: Time;
  started_at: OptionalTime;
  ended_at: OptionalTime;
  /** The run as of this event; a view that comes late changes nothing. */
  last_seq: number;
  view: OptionalPayload<RunView>;
  /** What a run that has ended is gone on with. */
  ended_state: OptionalPayload<EndedRunState>;
}

export interface EventsTable {
  run_id: string;
  seq: number;
  execution_run_id: string;
  type: string;
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
  /** How large changes and resume point are. */
  bytes: number;
  created_at: Time;
}

/** The whole state at a checkpoint, so that not all changes before it have to be read. */
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
  /** The one run of the thread that may be at work. */
  active_run_id: string | null;
  last_run_id: string;
  created_at: Time;
  updated_at: Time;
}

export interface ApprovalsTable {
  id: string;
  tenant_id: string;
  run_id: string;
  status: Approval['status'];
  requested_at: Time;
  /** The event that the row stands at; an older state that comes late changes nothing. */
  seq: number;
  body: Payload<Approval>;
}

export interface LedgerTable {
  key: string;
  tenant_id: string;
  run_id: string;
  node: string;
  /** The element of a list that the call is made for. */
  element: number | null;
  called: string;
  request_hash: string;
  status: 'claimed' | 'retrying' | 'completed' | 'failed' | 'unknown';
  /** How often a person has ordered the call again. */
  takeover: number;
  /** The attempt that holds the claim; a late one can't write over it. */
  claim: string;
  /** When the server scheduled that attempt. */
  scheduled_at: Time;
  failures: number;
  result: OptionalPayload;
  failure: OptionalPayload<TaskFailure>;
  next_attempt_at: OptionalTime;
  claimed_at: Time;
  updated_at: Time;
}

/** Payloads that are too large for Temporal's histories. */
export interface BlobsTable {
  id: string;
  workflow_id: string;
  metadata: Payload<Readonly<Record<string, string>>>;
  data: Uint8Array;
  created_at: Time;
}

export interface IdempotencyTable {
  tenant_id: string;
  subject: string;
  route: string;
  key: string;
  fingerprint: string;
  resource_id: string;
  /** Until when the request that holds the record may still be at work. */
  lease_until: Time;
  status: number | null;
  headers: OptionalPayload<Readonly<Record<string, string>>>;
  body: OptionalPayload;
  created_at: Time;
}
