import type { JsonSchema } from '../values/json-schema.ts';
import type { CallSettings, DefaultRetry } from './call-policy.ts';
import type { GraphDefinition } from './definition.ts';

/**
 * What an installation offers, as far as a graph must know it: names for validation, and what a run pins when it starts.
 * It is data; the code and the secrets behind it stay with the activities.
 */
export interface Catalog {
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly tools: Readonly<Record<string, ToolEntry>>;
  readonly functions: Readonly<Record<string, FunctionEntry>>;
  /** Node types that are registered by code. */
  readonly nodeTypes?: Readonly<Record<string, NodeTypeEntry>>;
  /** What a `context` may name as its strategy; without it, any name is taken for granted. Runs do not pin it. */
  readonly messageProcessors?: readonly string[];
  /** Published graphs that subgraph nodes name, by the name that they use. */
  readonly graphs?: Readonly<Record<string, GraphDefinition>>;
  readonly defaults: CatalogDefaults;
}

/** How often a call may be made again after a crash between claim and record (specification, "Configuration"). */
export type CallSafety = 'idempotent' | 'keyed' | 'unsafe';

export interface ModelEntry extends CallSettings {
  /** USD per million tokens. */
  readonly price?: { readonly input: number; readonly output: number } | undefined;
  /** Tokens that a request may have. */
  readonly contextWindow?: number | undefined;
}

export interface ToolEntry extends CallSettings {
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly effect: CallSafety;
  readonly approval?: ApprovalRule | undefined;
  /** Roles of which who started a run needs one, so that it may call the tool. */
  readonly roles?: readonly string[] | undefined;
  /** What becomes of a call that a model asked for and that has failed: `tell` it, `intervene`, or another tool's name. */
  readonly onFailure?: string | undefined;
  /** Temporal's task queue of the workers that serve it; without one, the engine's own. */
  readonly taskQueue?: string | undefined;
}

/** When a person is asked before a call is made; `when` is CEL over the call's `args`. */
export type ApprovalRule = 'never' | 'always' | { readonly when: string };

export interface FunctionEntry extends CallSettings {
  readonly effect: CallSafety;
}

export interface NodeTypeEntry extends CallSettings {
  /** Of the fields that a node of this type has besides the common ones. */
  readonly schema: JsonSchema;
  readonly effect: CallSafety;
}

/** The installation's defaults, for graphs that say nothing else. Durations are text. */
export interface CatalogDefaults {
  readonly maxSteps: number;
  /** A duration; without one runs have no deadline unless their graph says so. */
  readonly deadline?: string | undefined;
  readonly approvalTimeout: string;
  readonly timeout: string;
  readonly retry: DefaultRetry;
  /** How long the server waits for a sign of life of a call before it has it made again. */
  readonly heartbeatTimeout: string;
  /** Events of a workflow's history after which a run goes on in a new execution. */
  readonly continueAfter: number;
}

export const DEFAULTS: CatalogDefaults = {
  maxSteps: 25,
  approvalTimeout: '7d',
  timeout: '60s',
  retry: { maxAttempts: 5, initialInterval: '1s', backoffCoefficient: 2, maxInterval: '60s', nonRetryable: [] },
  heartbeatTimeout: '20s',
  continueAfter: 4_000,
};
