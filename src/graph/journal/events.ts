import type { Update } from '../channels/channel.ts';
import type { PublicApproval } from '../run/approval.ts';
import type { ContextReport } from '../run/effect.ts';
import type { RunError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import type { Checkpoint } from './checkpoint.ts';

/** An event of a run's history. `seq` counts from 1 without gaps, `at` is RFC 3339. */
export type RunEvent = RunEventBody & {
  readonly seq: number;
  readonly at: string;
  readonly step: number;
  /** Inside a subgraph: the ids of the nodes around it, outermost first. */
  readonly path?: readonly string[];
};

/** The node task that an event is about. */
interface OfTask {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
}

/** Who did it: the subject of a token, or of a signal. */
interface ByPerson {
  readonly by: string;
}

/** What a task may say of itself; the node, visit and index are added. */
export type TaskEventBody =
  | {
      readonly type: 'model.called';
      readonly model: string;
      readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
      readonly costUsd?: number;
      readonly finishReason?: string;
      readonly toolCalls?: number;
      readonly context?: ContextReport;
      readonly error?: RunError;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | { readonly type: 'tool.requested'; readonly tool: string; readonly args: Json; readonly idempotencyKey: string }
  | {
      readonly type: 'tool.called';
      readonly tool: string;
      readonly result?: Json;
      readonly error?: RunError;
      readonly attempts: number;
      readonly durationMs: number;
      readonly idempotencyKey: string;
    }
  | ({ readonly type: 'tool.skipped'; readonly tool: string; readonly result: Json } & ByPerson)
  | { readonly type: 'node.started' }
  | { readonly type: 'node.completed'; readonly update: Update }
  | ({ readonly type: 'node.failed'; readonly error: RunError; readonly attempts: number } & Partial<ByPerson>)
  | ({ readonly type: 'node.skipped'; readonly update: Update } & ByPerson)
  | { readonly type: 'approval.requested'; readonly approval: PublicApproval }
  | ({
      readonly type: 'approval.decided';
      readonly approvalId: string;
      readonly decision: string;
      readonly reason: string | null;
      readonly status: string;
      readonly args: Json;
    } & ByPerson)
  | { readonly type: 'approval.expired'; readonly approvalId: string; readonly status: string };

/** What is said of undoing a call, with the node that had made it. */
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

export type RunEventBody =
  | {
      readonly type: 'run.started';
      readonly graph: Json;
      readonly by: string;
      /** The run and checkpoint that a fork goes on from. */
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
  | ({ readonly type: 'state.updated'; readonly values: Update; readonly asNode?: string } & ByPerson)
  | ({ readonly type: 'signal.received'; readonly event: string } & ByPerson)
  | { readonly type: 'run.completed'; readonly output: Json }
  | { readonly type: 'run.failed'; readonly error: RunError }
  | { readonly type: 'run.canceled'; readonly by: string; readonly reason: string | null };
