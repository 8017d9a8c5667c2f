import type { ChannelSet } from '../channels/channel.ts';
import { toCallPolicy } from '../definition/call-policy.ts';
import type { CallPolicy, CallSettings, Execution } from '../definition/call-policy.ts';
import type { Catalog, ToolEntry } from '../definition/catalog.ts';
import type { Defaults, GraphDefinition } from '../definition/definition.ts';
import { NODE_NAMES } from '../expression/names.ts';
import { parseTemplate } from '../expression/template.ts';
import type { Template } from '../expression/template.ts';
import type { Json } from '../values/json.ts';
import { newCountdown, toggleCountdown } from '../run/limits.ts';
import type { Countdown } from '../run/limits.ts';
import type { WithDeadline } from '../run/scope.ts';
import { toMs } from '../values/time.ts';
import { GraphError } from '../values/errors.ts';
import { failedBecause } from './behavior.ts';
import type { TaskProgress, TaskInput } from './behavior.ts';

/** The context that a node is compiled in. */
export interface NodeSettings {
  readonly id: string;
  /** The installation's tools, models and functions. */
  readonly catalog: Catalog;
  /** The nodes of the node's graph. */
  readonly nodes: GraphDefinition['nodes'];
  /** The defaults of the node's graph. */
  readonly defaults: Defaults;
  /** The compiled graph inside a subgraph node. */
  readonly subgraph: ChannelSet | null;
  /** The graphs among the tools of the node, by the tools' names. */
  readonly graphTools: Readonly<Record<string, CallableGraph>>;
}

/** A published graph that a model may call. */
export interface CallableGraph {
  /** The name of the graph, and its version. */
  readonly reference: string;
  readonly entry: ToolEntry;
  readonly channels: ChannelSet;
}

/** Fields of a node that limit its calls. */
export type NodeCallSettings = CallSettings & { readonly deadline?: string };

/** The field of a node that determines where its calls run. */
export interface ExecutionField {
  readonly execution?: Execution;
}

/** Parses a templated field of a node; an absent one becomes `fallback`. */
export function parseTemplatedField(name: string, value: Json | undefined, fallback: Json): Template {
  return parseTemplate(value ?? fallback, NODE_NAMES, name);
}

/**
 * Returns the policy of a node's call. Settings of the node override those of the called code, the graph and the
 * installation.
 */
export function callPolicyOf(
  node: NodeCallSettings,
  called: CallSettings,
  { catalog, defaults }: NodeSettings,
): CallPolicy {
  return toCallPolicy([node, called, defaults], catalog.defaults, node.deadline);
}

/**
 * Returns the milliseconds that a call made now has for all its attempts; `null` if only its policy limits it.
 * @throws GraphError `TIMEOUT` when the node's deadline is over
 */
export type TimeLeft = () => number | null;

/** A node with an optional deadline, a duration such as `"5m"`. */
interface TimedNode {
  readonly type: string;
  readonly deadline?: string;
}

/** The deadline that several calls of one task share. */
export interface SharedDeadline {
  begin(): WithDeadline;
  /** Starts the countdown at `now` if a call is open; otherwise stops it. */
  run(time: WithDeadline, isAtWork: boolean, now: number): WithDeadline;
  /** Like `TimeLeft`. */
  leftMs(time: WithDeadline): number | null;
  /** Limits the time left to that of a graph inside; `null` changes nothing. */
  cap(time: WithDeadline, leftMs: number | null): WithDeadline;
}

/** Returns the time that is left to a node after a graph ran as its tool call; `null` if the input contains none. */
export function leftMsIn(input: TaskInput): number | null {
  return input.kind === 'graph.finished' || input.kind === 'graph.failed' ? input.leftMs : null;
}

/** Creates the deadline of a node. Without `deadline`, only the policy limits each call. */
export function sharedDeadline({ type, deadline }: TimedNode): SharedDeadline {
  if (deadline === undefined) return { begin: () => ({}), run: () => ({}), leftMs: () => null, cap: () => ({}) };
  const deadlineMs = toMs(deadline);
  const begin = (): Countdown => newCountdown(deadlineMs);
  return {
    begin: () => ({ countdown: begin() }),
    run({ countdown = begin() }, isAtWork, now) {
      return { countdown: toggleCountdown(countdown, isAtWork, now) ?? countdown };
    },
    leftMs({ countdown = begin() }) {
      if (countdown.leftMs > 0) return countdown.leftMs;
      throw new GraphError('TIMEOUT', `The ${type}'s deadline of ${deadlineMs} ms is over`);
    },
    cap({ countdown = begin() }, leftMs) {
      return { countdown: leftMs === null ? countdown : { ...countdown, leftMs: Math.min(countdown.leftMs, leftMs) } };
    },
  };
}

/** The failure of a node whose deadline has passed. */
export function deadlineExceeded({ type, deadline }: TimedNode): TaskProgress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
