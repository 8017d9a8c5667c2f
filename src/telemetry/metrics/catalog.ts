/** The definition of a metric. */
export interface MetricFacts {
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'level';
  /** The processes that measure it. */
  readonly at: 'API' | 'worker' | 'both';
  /** A complete phrase for people; the documentation's table has it, too. */
  readonly about: string;
  /** UCUM. */
  readonly unit?: string;
  readonly labels: Readonly<Record<string, LabelKind>>;
  /** The upper bounds of the buckets of a histogram. */
  readonly bounds?: readonly number[];
}

/** `named`: people choose its values, so only the first ones have series of their own. */
type LabelKind = 'fixed' | 'named';

/** Requests and calls: from milliseconds to a minute. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Runs, nodes and approvals: some wait for people. */
const LONG = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 3_600, 14_400, 86_400, 604_800];

const geometricBuckets = (base: number, first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, exponent) => first * base ** exponent);

/** Calls of models and tools (OpenTelemetry, GenAI: 0.01 s to 81.92 s). */
const GEN_AI_SECONDS = geometricBuckets(2, 0.01, 14);
/** OpenTelemetry, GenAI: 1 to 67,108,864 tokens. */
const GEN_AI_TOKENS = geometricBuckets(4, 1, 14);

const MODEL_LABELS = {
  'gen_ai.operation.name': 'fixed',
  'gen_ai.provider.name': 'fixed',
  'gen_ai.request.model': 'named',
} as const;

/** All metrics by name (OpenTelemetry). Names of generative AI and of HTTP are those of the semantic conventions. */
export const METRICS = {
  'holdfast.runs': {
    kind: 'counter',
    at: 'both',
    about: 'runs that have ended',
    labels: { graph: 'named', outcome: 'fixed' },
  },
  'holdfast.run.duration': {
    kind: 'histogram',
    at: 'both',
    about: 'the time from the request for a run to its end',
    unit: 's',
    labels: { graph: 'named', outcome: 'fixed' },
    bounds: LONG,
  },
  'holdfast.run.start_delay': {
    kind: 'histogram',
    at: 'worker',
    about: 'the time from the request for a run to its first superstep',
    unit: 's',
    labels: { graph: 'named' },
    bounds: SHORT,
  },
  'holdfast.runs.active': {
    kind: 'gauge',
    at: 'API',
    about: 'runs of all tenants that have not ended',
    labels: { status: 'fixed' },
  },
  'holdfast.runs.put_aside': {
    kind: 'counter',
    at: 'API',
    about: 'poisoned runs that this process has ended',
    labels: {},
  },
  'holdfast.starts.pending': {
    kind: 'gauge',
    at: 'API',
    about: 'runs that Temporal does not have yet; those that wait for their thread are not counted',
    labels: {},
  },
  'holdfast.starts.oldest_age': {
    kind: 'gauge',
    at: 'API',
    about: 'how long the oldest of them has been waiting',
    unit: 's',
    labels: {},
  },
  'holdfast.steps': { kind: 'counter', at: 'worker', about: 'supersteps that have begun', labels: { graph: 'named' } },
  'holdfast.node.duration': {
    kind: 'histogram',
    at: 'worker',
    about: 'visits of nodes, waits included, whose beginning and end this process has written',
    unit: 's',
    labels: { graph: 'named', outcome: 'fixed' },
    bounds: LONG,
  },
  'holdfast.call.duration': {
    kind: 'histogram',
    at: 'worker',
    about: 'attempts of calls',
    unit: 's',
    labels: { kind: 'fixed', called: 'named', outcome: 'fixed' },
    bounds: SHORT,
  },
  'holdfast.call.retries': {
    kind: 'counter',
    at: 'worker',
    about: 'failed attempts of calls that another one follows',
    labels: { kind: 'fixed', called: 'named', code: 'fixed' },
  },
  'holdfast.call.failures': {
    kind: 'counter',
    at: 'worker',
    about: 'calls that have failed for good',
    labels: { kind: 'fixed', called: 'named', code: 'fixed' },
  },
  'holdfast.usage.cost_usd': {
    kind: 'counter',
    at: 'worker',
    about: 'what calls of models cost by the configured prices, in USD',
    labels: { graph: 'named', model: 'named' },
  },
  'holdfast.approvals.pending': {
    kind: 'gauge',
    at: 'API',
    about: 'approvals that wait for a person',
    labels: {},
  },
  'holdfast.approvals.oldest_age': {
    kind: 'gauge',
    at: 'API',
    about: 'how long the oldest of them has been waiting',
    unit: 's',
    labels: {},
  },
  'holdfast.approval.wait': {
    kind: 'histogram',
    at: 'worker',
    about: 'the time from the request for an approval to what closed it',
    unit: 's',
    labels: { status: 'fixed' },
    bounds: LONG,
  },
  'holdfast.calls.unknown': {
    kind: 'gauge',
    at: 'API',
    about: 'calls with an unknown outcome that wait for a person',
    labels: {},
  },
  'holdfast.journal.lag': {
    kind: 'histogram',
    at: 'worker',
    about: 'the time from an event to its row, of the oldest event of each batch',
    unit: 's',
    labels: {},
    bounds: SHORT,
  },
  'holdfast.signals.ignored': {
    kind: 'counter',
    at: 'worker',
    about: 'signals that have changed nothing',
    labels: { signal: 'named', reason: 'named' },
  },
  'holdfast.idempotency.replays': {
    kind: 'counter',
    at: 'API',
    about: 'requests that were answered as the first one with their `Idempotency-Key`',
    labels: {},
  },
  'holdfast.sse.clients': {
    kind: 'level',
    at: 'API',
    about: 'streams of events and of chats that are open',
    labels: {},
  },
  'holdfast.activity.duration': {
    kind: 'histogram',
    at: 'worker',
    about: 'attempts of activities',
    unit: 's',
    labels: { activity: 'fixed', outcome: 'fixed' },
    bounds: SHORT,
  },
  'holdfast.activity.queue_time': {
    kind: 'histogram',
    at: 'worker',
    about: 'the time that an attempt of an activity has waited for a worker',
    unit: 's',
    labels: { activity: 'fixed' },
    bounds: SHORT,
  },
  'holdfast.workflow_task.failures': {
    kind: 'counter',
    at: 'worker',
    about: 'workflow tasks that have failed',
    labels: {},
  },
  'holdfast.embeddings.tokens': {
    kind: 'counter',
    at: 'both',
    about: 'tokens that memory was embedded and searched with',
    labels: {},
  },
  'holdfast.embeddings.cost_usd': {
    kind: 'counter',
    at: 'both',
    about: 'what they cost by the configured price, in USD',
    labels: {},
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    at: 'worker',
    about: 'attempts to ask a model',
    unit: 's',
    labels: { ...MODEL_LABELS, 'error.type': 'fixed' },
    bounds: GEN_AI_SECONDS,
  },
  'gen_ai.client.operation.time_to_first_chunk': {
    kind: 'histogram',
    at: 'worker',
    about: 'the time to the first piece of an answer that is streamed',
    unit: 's',
    labels: MODEL_LABELS,
    bounds: GEN_AI_SECONDS,
  },
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    at: 'worker',
    about: 'tokens of an answered attempt; its sum counts tokens',
    unit: '{token}',
    labels: { ...MODEL_LABELS, 'gen_ai.token.type': 'fixed' },
    bounds: GEN_AI_TOKENS,
  },
  'gen_ai.execute_tool.duration': {
    kind: 'histogram',
    at: 'worker',
    about: 'attempts to call a tool, a function or the code of a node type',
    unit: 's',
    labels: { 'gen_ai.tool.name': 'named', 'error.type': 'fixed' },
    bounds: GEN_AI_SECONDS,
  },
  'http.server.request.duration': {
    kind: 'histogram',
    at: 'API',
    about: 'requests; those that wait are among them',
    unit: 's',
    labels: { 'http.request.method': 'fixed', 'http.response.status_code': 'fixed', 'http.route': 'fixed' },
    bounds: SHORT,
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;
