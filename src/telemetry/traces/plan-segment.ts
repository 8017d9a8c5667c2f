import type { Attributes } from '@opentelemetry/api';
import type { RunEvent } from '../../graph/journal/index.ts';
import type { TaskReference } from '../../graph/run/index.ts';
import { GEN_AI, GENERAL, HOLDFAST } from './names.ts';
import { ROOT, spanContextOf } from './trace-place.ts';
import type { SpanPart, TracePlace } from './trace-place.ts';

/** A span as the journal tells it. Times are in milliseconds since the epoch. */
export interface PlannedSpan {
  readonly name: string;
  readonly spanId: string;
  /** `null`: the root of the segment. */
  readonly parentId: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The code of what it has failed with. */
  readonly error: string | null;
}

/** Events that say something about the spans of a segment. */
export const TOLD_EVENTS = [
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

type TaskEvent = Extract<RunEvent, TaskReference>;

/** The most spans of supersteps and nodes of a segment; the root says how many are left out. */
const MAX_SPANS = 2_000;

interface OpenSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly startedAt: number;
  endedAt: number;
  attributes: Attributes;
  error: string | null;
  costUsd: number;
}

/**
 * Plans the spans of an ended segment from its events: the root, supersteps and nodes. Equal events make equal spans.
 * Tasks that events can't tell apart, such as those of a subgraph under `forEach`, share a span.
 */
export async function planSegment(place: TracePlace, events: AsyncIterable<RunEvent>): Promise<readonly PlannedSpan[]> {
  const plan = new SegmentPlan(place);
  for await (const event of events) plan.add(event);
  return plan.spans();
}

class SegmentPlan {
  readonly #place: TracePlace;
  readonly #spans = new Map<string, OpenSpan>();
  /** The latest span of each node, by its path: that of a subgraph is around what is inside. */
  readonly #latest = new Map<string, string>();
  #root: OpenSpan | null = null;
  #leftOut = 0;

  constructor(place: TracePlace) {
    this.#place = place;
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
    return [root, ...this.#spans.values()].map(({ costUsd, attributes, ...span }) => ({
      ...span,
      attributes: costUsd > 0 ? { ...attributes, [HOLDFAST.cost]: costUsd } : attributes,
    }));
  }

  #addToNode(event: TaskEvent, at: number): void {
    const step = this.#touchStep(event, at);
    const { node, visit, index, path = [] } = event;
    const part = { kind: 'node', node, visit, path, ...(index !== undefined && { index }) } as const;
    const span = this.#touch(part, at, () => ({
      name: `holdfast.node ${node}`,
      parentId: step?.spanId ?? this.#idOf(ROOT),
      attributes: {
        [HOLDFAST.node]: node,
        [HOLDFAST.visit]: visit,
        [HOLDFAST.step]: event.step,
        ...(index !== undefined && { [HOLDFAST.index]: index }),
        ...(path.length > 0 && { [HOLDFAST.path]: path.join('/') }),
      },
    }));
    if (!span) return;
    this.#latest.set(nameOf([...path, node]), span.spanId);
    if (event.type === 'model.called') span.costUsd += event.costUsd ?? 0;
    if (event.type !== 'node.failed') return;
    span.error = event.error.code;
    span.attributes = { ...span.attributes, [HOLDFAST.attempts]: event.attempts };
  }

  #touchStep({ path = [], step }: RunEvent, at: number): OpenSpan | null {
    return this.#touch({ kind: 'step', path, step }, at, () => ({
      name: 'holdfast.superstep',
      parentId: this.#latest.get(nameOf(path)) ?? this.#idOf(ROOT),
      attributes: { [HOLDFAST.step]: step, ...(path.length > 0 && { [HOLDFAST.path]: path.join('/') }) },
    }));
  }

  /** The checkpoint of a superstep is its end. */
  #closeStep({ path = [], step, checkpoint }: RunEvent & { readonly type: 'checkpoint.saved' }, at: number): void {
    const span = this.#spans.get(this.#idOf({ kind: 'step', path, step }));
    if (!span) return;
    span.endedAt = at;
    span.attributes = { ...span.attributes, [HOLDFAST.checkpoint]: checkpoint };
  }

  /** Opens a span or has it last longer. @returns `null` for one that is left out */
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
      costUsd: 0,
    };
    this.#spans.set(spanId, opened);
    return opened;
  }

  #openRoot(at: number): OpenSpan {
    const { graph, threadId } = this.#place.run;
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
        [HOLDFAST.segment]: this.#place.segment,
        [HOLDFAST.status]: 'waiting',
        ...(threadId !== null && { [GEN_AI.conversation]: threadId, [GENERAL.session]: threadId }),
      },
      error: null,
      costUsd: 0,
    };
  }

  #ofRun(): Attributes {
    return { [HOLDFAST.run]: this.#place.runId, [HOLDFAST.tenant]: this.#place.tenantId };
  }

  #idOf(part: SpanPart): string {
    return spanContextOf(this.#place, part).spanId;
  }
}

/** What the events of a segment say about how it ends; without one, the run waits. */
const RUN_STATUS: ReadonlyMap<RunEvent['type'], string> = new Map([
  ['run.paused', 'paused'],
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.canceled', 'canceled'],
]);

function nameOf(path: readonly string[]): string {
  return path.join('/');
}
