import type { JsonSchema } from '../values/json-schema.ts';
import type { CallSettings, DefaultRetry, CallSafety, Execution } from './call-policy.ts';
import type { Ceilings } from './limits.ts';
import type { GraphDefinition } from './definition.ts';
import type { ApprovalPolicy } from './node-types/approval.ts';

/**
 * The part of an installation that graphs depend on: names for validation, and settings that a run pins at its start.
 * It is plain data. Code and secrets stay with the activities.
 */
export interface Catalog {
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly tools: Readonly<Record<string, ToolEntry>>;
  readonly functions: Readonly<Record<string, FunctionEntry>>;
  /** Node types that code registers. */
  readonly nodeTypes?: Readonly<Record<string, NodeTypeEntry>>;
  /** Names that a `context` may use as strategy. If absent, any name is valid. Runs do not pin it. */
  readonly messageProcessors?: readonly string[];
  /** Published graphs, by the name that subgraph nodes use. */
  readonly graphs?: Readonly<Record<string, GraphDefinition>>;
  readonly defaults: CatalogDefaults;
  readonly ceilings: Ceilings;
}

/** The kinds of entries that a catalog has by name. */
export const CATALOG_KINDS = ['tool', 'model', 'function', 'node-type', 'graph'] as const;
export type CatalogKind = (typeof CATALOG_KINDS)[number];

export interface ModelEntry extends CallSettings {
  /** USD per million tokens. */
  readonly price?: { readonly input: number; readonly output: number } | undefined;
  /** The largest request, in tokens. */
  readonly contextWindow?: number | undefined;
}

export interface ToolEntry extends CallSettings {
  readonly description: string;
  readonly parameters: JsonSchema;
  /**
   * What its code accepts after the code's own schema has read the arguments; absent if this schema changes nothing, so
   * the code accepts the arguments described by `parameters`.
   */
  readonly takes?: JsonSchema | undefined;
  /**
   * True if the code's own schema accepts more than `parameters`, such as a text for a number, and so refuses arguments
   * itself.
   */
  readonly coerces?: true | undefined;
  /** True if the code's own schema drops unknown names, which `parameters` refuse. */
  readonly strips?: true | undefined;
  /** Schema of the return value; absent if it may be anything. Runs do not pin it. */
  readonly result?: JsonSchema | undefined;
  readonly effect: CallSafety;
  readonly approval?: ApprovalRule | undefined;
  /** The roles of which the starter of a run needs one for the run to call the tool. */
  readonly roles?: readonly string[] | undefined;
  /** The permission that the starter of a run needs instead of a role; only built-in tools have one. */
  readonly permission?: 'run:read' | 'memory:write' | undefined;
  /**
   * The reaction to a model's failed call: `tell` (the model gets the error), `intervene`, or the name of the tool to
   * call.
   */
  readonly onFailure?: string | undefined;
  /** The Temporal task queue of the tool's workers; the engine's own if absent. */
  readonly taskQueue?: string | undefined;
  /** Where its calls run, unless the node sets it. */
  readonly execution?: Execution | undefined;
}

/** The approval rules of an agent that are not expressions. */
export const APPROVAL_WORDS: readonly string[] = ['always', 'never'];

/** The rule for requesting an approval before a call. It applies however the tool is called. */
export type ApprovalRule = 'never' | 'always' | ApprovalTerms;

/** The calls that need an approval, the people who decide, and their time. */
export interface ApprovalTerms {
  /** CEL over the call's `args`; absent if each call needs an approval. */
  readonly when?: string | undefined;
  readonly policy?: ApprovalPolicy | undefined;
  /** A duration; absent for the installation's `approvalTimeout`. */
  readonly timeout?: string | undefined;
}

/** Runs pin neither the schema of its arguments nor what its own schema makes of them. */
export interface FunctionEntry extends CallSettings, Pick<ToolEntry, 'takes' | 'coerces' | 'strips'> {
  readonly parameters?: JsonSchema | undefined;
  readonly effect: CallSafety;
}

export interface NodeTypeEntry extends CallSettings {
  /** JSON Schema of the fields that nodes of this type have besides the common ones. */
  readonly schema: JsonSchema;
  readonly effect: CallSafety;
}

/** The installation's defaults for fields that a graph does not set. Durations are text. */
export interface CatalogDefaults {
  readonly maxSteps: number;
  /** The maximum of open calls of one run. */
  readonly maxConcurrency: number;
  /** A duration. If absent, only graphs that set a deadline have one. */
  readonly deadline?: string | undefined;
  readonly approvalTimeout: string;
  readonly timeout: string;
  readonly retry: DefaultRetry;
  /** The time without a heartbeat after which the server retries a call. */
  readonly heartbeatTimeout: string;
  /** The number of history events after which a workflow continues as new. */
  readonly continueAfter: number;
}

export const DEFAULTS: CatalogDefaults = {
  maxSteps: 25,
  maxConcurrency: 100,
  approvalTimeout: '7d',
  timeout: '60s',
  retry: { maxAttempts: 5, initialInterval: '1s', backoffCoefficient: 2, maxInterval: '60s', nonRetryable: [] },
  heartbeatTimeout: '20s',
  continueAfter: 4_000,
};
