import type { Attributes, SpanContext } from '@opentelemetry/api';
import { nodeName } from '../../graph/journal/index.ts';
import type { EventOf, RunEvent, Segment } from '../../graph/journal/index.ts';
import type { TaskReference } from '../../graph/run/index.ts';
import { GEN_AI, GENERAL, HOLDFAST } from './names.ts';
import { ROOT, nameOfPart, spanContextOf, spanIdOf } from './trace-segment.ts';
import type { SpanPart, TraceSegment } from './trace-segment.ts';

/** A span that the journal describes. Times are in milliseconds since the epoch. */
export interface PlannedSpan {
  readonly name: string;
  readonly spanId: string;
  /** `null` for the root of the segment. */
  readonly parentId: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The error code of a failed part. */
  readonly error: string | null;
  /** The span of the same agent visit in an earlier segment; `null` without one. */
  readonly earlier: SpanContext | null;
}

/** A segment, and its agents. */
export type PlannedSegment = TraceSegment & Pick<Segment, 'agents' | 'resumed'>;

type TaskEvent = Extract<RunEvent, TaskReference>;

/** The maximum number of spans for supersteps and nodes of a segment; the root records how many are omitted. */
const MAX_SPANS = 2_000;

/** A planned span that later events may extend. */
interface OpenSpan extends SpanUsage, Omit<PlannedSpan, 'endedAt' | 'attributes' | 'error'> {
  endedAt: number;
  attributes: Attributes;
  error: string | null;
}

/**
 * Plans the spans of an ended segment from its events: the root, supersteps and nodes. Equal events make equal spans.
 * Tasks that events do not distinguish, such as those of a subgraph under `forEach`, share a span.
 */
export async function planSegment(
  traced: PlannedSegment,
  events: AsyncIterable<RunEvent>,
): Promise<readonly PlannedSpan[]> {
  const plan = new SegmentPlan(traced);
  for await (const event of events) plan.add(event);
  return plan.spans();
}

class SegmentPlan {
  readonly #traced: PlannedSegment;
  readonly #agents: ReadonlySet<string>;
  /** The earlier spans of agents, by their current spans. */
  readonly #earlier: ReadonlyMap<string, SpanContext>;
  readonly #spans = new Map<string, OpenSpan>();
  /** The ids of parts by name, as a cache: most events of a superstep or node belong to a known part. */
  readonly #ids = new Map<string, string>();
  /** The latest span of each node by name; the span of a subgraph is the parent of the spans inside. */
  readonly #latest = new Map<string, string>();
  #root: OpenSpan | null = null;
  #leftOut = 0;

  constructor(traced: PlannedSegment) {
    this.#traced = traced;
    this.#agents = new Set(traced.agents);
    this.#earlier = new Map(
      traced.resumed?.map(({ toldIn, ...visit }) => {
        const part = { kind: 'node', ...visit } as const;
        return [this.#idOf(part), spanContextOf({ ...traced, segment: toldIn }, part)];
      }),
    );
  }

  add(event: RunEvent): void {
    const at = Date.parse(event.at);
    const root = (this.#root ??= this.#openRoot(at));
    root.endedAt = Math.max(root.endedAt, at);
    const status = RUN_STATUS.get(event.type);
    if (status !== undefined) root.attributes = { ...root.attributes, [HOLDFAST.status]: status };
    if (event.type === 'run.failed') root.error = event.error.code;
    if (event.type === 'step.started') this.#touchStep(event, at);
    if (event.type === 'checkpoint.saved') this.#closeStep(event, at);
    if ('visit' in event) this.#addToNode(event, at);
    if (event.type === 'model.called') root.costUsd += event.costUsd ?? 0;
  }

  spans(): readonly PlannedSpan[] {
    const root = this.#root;
    if (!root) return [];
    if (this.#leftOut > 0) root.attributes = { ...root.attributes, [HOLDFAST.leftOut]: this.#leftOut };
    return [root, ...this.#spans.values()].map(({ costUsd, usage, attributes, ...span }) => ({
      ...span,
      attributes: { ...attributes, ...usageAttributes({ costUsd, usage }) },
    }));
  }

  #addToNode(event: TaskEvent, at: number): void {
    const step = this.#touchStep(event, at);
    const { node, visit, index, path = [] } = event;
    const isAgent = this.#agents.has(nodeName(event));
    const part = { kind: 'node', node, visit, path, ...(index !== undefined && { index }) } as const;
    const span = this.#touch(part, at, () => ({
      name: `${isAgent ? 'invoke_agent' : 'holdfast.node'} ${node}`,
      parentId: step?.spanId ?? this.#idOf(ROOT),
      attributes: {
        ...(isAgent && this.#ofAgent(event)),
        [HOLDFAST.node]: node,
        [HOLDFAST.visit]: visit,
        [HOLDFAST.step]: event.step,
        ...(index !== undefined && { [HOLDFAST.index]: index }),
        ...(path.length > 0 && { [HOLDFAST.path]: path.join('/') }),
      },
    }));
    if (!span) return;
    this.#latest.set(nodeName(event), span.spanId);
    if (event.type === 'model.called') addModelCall(span, event, isAgent);
    if (event.type !== 'node.failed') return;
    span.error = event.error.code;
    span.attributes = { ...span.attributes, [HOLDFAST.attempts]: event.attempts };
  }

  #touchStep({ path = [], step }: RunEvent, at: number): OpenSpan | null {
    return this.#touch({ kind: 'step', path, step }, at, () => ({
      name: 'holdfast.superstep',
      parentId: this.#latest.get(path.join('/')) ?? this.#idOf(ROOT),
      attributes: { [HOLDFAST.step]: step, ...(path.length > 0 && { [HOLDFAST.path]: path.join('/') }) },
    }));
  }

  /** A superstep ends with its checkpoint. */
  #closeStep({ path = [], step, checkpoint }: EventOf<'checkpoint.saved'>, at: number): void {
    const span = this.#spans.get(this.#idOf({ kind: 'step', path, step }));
    if (!span) return;
    span.endedAt = at;
    span.attributes = { ...span.attributes, [HOLDFAST.checkpoint]: checkpoint };
  }

  /** Opens a span or extends it. @returns `null` for an omitted one */
  #touch(
    part: SpanPart,
    at: number,
    describe: () => Pick<OpenSpan, 'name' | 'parentId' | 'attributes'>,
  ): OpenSpan | null {
    const spanId = this.#idOf(part);
    const known = this.#spans.get(spanId);
    if (known) {
      known.endedAt = Math.max(known.endedAt, at);
      return known;
    }
    if (this.#spans.size >= MAX_SPANS) {
      this.#leftOut += 1;
      return null;
    }
    const { attributes, ...described } = describe();
    const opened = {
      ...described,
      spanId,
      startedAt: at,
      endedAt: at,
      attributes: { ...this.#ofRun(), ...attributes },
      error: null,
      ...NOTHING_USED,
      earlier: this.#earlier.get(spanId) ?? null,
    };
    this.#spans.set(spanId, opened);
    return opened;
  }

  #openRoot(at: number): OpenSpan {
    const { graph } = this.#traced.run;
    return {
      name: `invoke_workflow ${graph}`,
      spanId: this.#idOf(ROOT),
      parentId: null,
      startedAt: at,
      endedAt: at,
      attributes: {
        ...this.#ofRun(),
        [GEN_AI.operation]: 'invoke_workflow',
        [GEN_AI.workflow]: graph,
        [HOLDFAST.segment]: this.#traced.segment,
        [HOLDFAST.status]: 'waiting',
        ...this.#ofThread(),
      },
      error: null,
      ...NOTHING_USED,
      earlier: null,
    };
  }

  #ofRun(): Attributes {
    return { [HOLDFAST.run]: this.#traced.runId, [HOLDFAST.tenant]: this.#traced.tenantId };
  }

  #ofThread(): Attributes {
    const { threadId } = this.#traced.run;
    return threadId === null ? {} : { [GEN_AI.conversation]: threadId, [GENERAL.session]: threadId };
  }

  /** An agent has no id, so its path in its graph is used as one. */
  #ofAgent(task: TaskReference): Attributes {
    return {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.agent]: task.node,
      [GEN_AI.agentId]: `${this.#traced.run.graph}/${nodeName(task)}`,
      ...this.#ofThread(),
    };
  }

  #idOf(part: SpanPart): string {
    const name = nameOfPart(part);
    const id = this.#ids.get(name) ?? spanIdOf(this.#traced, name);
    this.#ids.set(name, id);
    return id;
  }
}

/** The events that end a segment; without one of them, the run waits. */
const RUN_STATUS: ReadonlyMap<RunEvent['type'], string> = new Map([
  ['run.paused', 'paused'],
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.canceled', 'canceled'],
]);

/** The tokens and cost of the calls of models in a span. */
export interface SpanUsage {
  costUsd: number;
  /** Tokens of an agent's models; `null` where they are unknown. */
  usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

const NOTHING_USED: Readonly<SpanUsage> = { costUsd: 0, usage: null };

/** Tokens are summed for agents only: elsewhere they would be counted twice. */
function addModelCall(
  span: SpanUsage,
  { costUsd = 0, usage }: Pick<EventOf<'model.called'>, 'costUsd' | 'usage'>,
  isAgent: boolean,
): void {
  span.costUsd += costUsd;
  if (!isAgent || !usage) return;
  const { inputTokens = 0, outputTokens = 0 } = span.usage ?? {};
  span.usage = { inputTokens: inputTokens + usage.inputTokens, outputTokens: outputTokens + usage.outputTokens };
}

function usageAttributes({ usage, costUsd }: Readonly<SpanUsage>): Attributes {
  return {
    ...(usage && { [GEN_AI.inputTokens]: usage.inputTokens, [GEN_AI.outputTokens]: usage.outputTokens }),
    ...(costUsd > 0 && { [HOLDFAST.cost]: costUsd }),
  };
}
