import type { UpdateByChannel } from '../channels/channel.ts';
import type { PublicApproval } from '../run/approval.ts';
import type { ContextReport } from '../run/effect.ts';
import type { NodePath } from '../run/ids.ts';
import type { Deciders } from '../run/reassign.ts';
import type { RunError, TokenUsage } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import type { Checkpoint } from './resume-point.ts';

/** An event of a run's history. */
export type RunEvent = RunEventBody & {
  /** Counts from 1, without gaps. */
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
  readonly step: number;
  /** The nodes around the event's graph, outermost first; absent in the run's own graph. */
  readonly path?: NodePath;
};

/** The events of some types. */
export type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };

/** The node task of an event. */
interface OfTask {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
}

/** The person behind an event: the subject of a token or a signal. */
interface ByPerson {
  readonly by: string;
}

/** The code that a call runs: a registered function, or the code of a node type. */
interface OfCode {
  readonly function?: string;
  readonly nodeType?: string;
}

/** The outcome of a call. */
interface AnsweredCallFields {
  readonly result?: Json;
  readonly error?: RunError;
  readonly attempts: number;
  readonly durationMs: number;
  readonly idempotencyKey: string;
  /** True if the worker of the workflow task made the call itself, without an activity. */
  readonly local?: true;
}

/** An event of a node task, without the fields that identify the task. */
export type TaskEventBody =
  | {
      readonly type: 'model.called';
      readonly model: string;
      readonly usage?: TokenUsage;
      readonly costUsd?: number;
      readonly finishReason?: string;
      readonly toolCalls?: number;
      readonly context?: ContextReport;
      readonly error?: RunError;
      readonly attempts: number;
      readonly durationMs: number;
      readonly idempotencyKey: string;
    }
  | ({ readonly type: 'function.requested'; readonly args: Json; readonly idempotencyKey: string } & OfCode)
  | ({ readonly type: 'function.called' } & AnsweredCallFields & OfCode)
  | { readonly type: 'tool.requested'; readonly tool: string; readonly args: Json; readonly idempotencyKey: string }
  | ({ readonly type: 'tool.called'; readonly tool: string } & AnsweredCallFields)
  | ({ readonly type: 'tool.skipped'; readonly tool: string; readonly result: Json } & ByPerson)
  | { readonly type: 'node.started' }
  | { readonly type: 'node.completed'; readonly update: UpdateByChannel }
  | ({ readonly type: 'node.failed'; readonly error: RunError; readonly attempts: number } & Partial<ByPerson>)
  | ({ readonly type: 'node.skipped'; readonly update: UpdateByChannel } & ByPerson)
  | { readonly type: 'approval.requested'; readonly approval: PublicApproval }
  | ({
      readonly type: 'approval.decided';
      readonly approvalId: string;
      readonly decision: string;
      readonly reason: string | null;
      readonly status: string;
      readonly args: Json;
    } & ByPerson)
  | ({
      readonly type: 'approval.reassigned';
      readonly approvalId: string;
      readonly from: Deciders;
      readonly to: Deciders;
    } & ByPerson)
  | {
      readonly type: 'approval.expired';
      readonly approvalId: string;
      readonly status: string;
      /** The arguments in question; absent if nobody has proposed others. */
      readonly args?: Json;
    };

/** An event of a compensation, without the fields that identify the task of the compensated call. */
export type CompensationEventBody =
  | {
      readonly type: 'compensation.requested';
      readonly tool: string;
      readonly args: Json;
      readonly idempotencyKey: string;
    }
  | ({ readonly type: 'node.compensated'; readonly tool: string | null; readonly result: Json } & Partial<ByPerson>)
  | ({
      readonly type: 'compensation.failed';
      readonly tool: string | null;
      readonly error: RunError;
    } & Partial<ByPerson>);

/** An event without its number, time and graph. */
export type RunEventBody =
  | {
      readonly type: 'run.started';
      readonly graph: Json;
      readonly by: string;
      /** The checkpoint that a fork starts from. */
      readonly parent?: { readonly runId: string; readonly checkpoint: string };
    }
  | { readonly type: 'step.started'; readonly nodes: readonly string[] }
  | (TaskEventBody & OfTask)
  | (CompensationEventBody & OfTask)
  | {
      readonly type: 'checkpoint.saved';
      readonly checkpoint: string;
      readonly source: Checkpoint['source'];
      readonly next: readonly string[];
    }
  | ({ readonly type: 'run.retried'; readonly node?: string } & ByPerson)
  | ({
      readonly type: 'signal.ignored';
      readonly signal: string;
      readonly reason: string;
      readonly detail?: string;
    } & ByPerson)
  | {
      readonly type: 'run.paused';
      readonly reason: string | null;
      readonly nodes: readonly string[];
      readonly by: string;
    }
  | ({ readonly type: 'run.resumed' } & ByPerson)
  | ({ readonly type: 'state.updated'; readonly values: UpdateByChannel; readonly asNode?: string } & ByPerson)
  | ({ readonly type: 'signal.received'; readonly event: string } & ByPerson)
  | { readonly type: 'run.completed'; readonly output: Json }
  | { readonly type: 'run.failed'; readonly error: RunError }
  | { readonly type: 'run.canceled'; readonly by: string; readonly reason: string | null };

/**
 * The failure type of a run that contradicts its journal. Somebody has reset its workflow in Temporal, or Temporal or
 * the store was restored from a backup.
 */
export const CONTRADICTION = 'CONTRADICTION';

/** The events that appear in the spans of a segment. */
export const TRACED_EVENTS = [
  'run.started',
  'run.retried',
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.failed',
  'run.canceled',
  'step.started',
  'checkpoint.saved',
  'node.started',
  'node.completed',
  'node.failed',
  'node.skipped',
  'model.called',
  'tool.requested',
  'tool.called',
  'tool.skipped',
  'function.requested',
  'function.called',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'signal.received',
  'state.updated',
] as const satisfies readonly RunEvent['type'][];
