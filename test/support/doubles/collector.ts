import { parse } from 'protobufjs';
import { z } from 'zod';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A collector of OpenTelemetry (OTLP, `http/protobuf`). */
export interface Collector {
  readonly url: string;
  /** All received spans, in order. */
  readonly spans: readonly CollectedSpan[];
  /** All received metrics, once for each request that contained them. */
  readonly metrics: readonly CollectedMetric[];
  /** All received data, as text. */
  text(): string;
  /** Refuses all further requests. */
  refuse(): void;
  /** The number of requests so far. */
  readonly requests: number;
  forget(): void;
  stop(): Promise<void>;
}

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent span; empty without one. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isFailed: boolean;
}

export interface CollectedMetric {
  readonly service: string;
  readonly name: string;
  /** The temporality of a sum or a histogram: 1 for delta, 2 for cumulative. */
  readonly temporality: number | undefined;
}

/** The part of opentelemetry-proto 1.x that tests read. */
const { root } = parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message MetricsRequest { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message Metric { string name = 1; Aggregated sum = 7; Aggregated histogram = 9; }
  message Aggregated { int32 aggregation_temporality = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }
  message ArrayValue { repeated AnyValue values = 1; }
`);
const RequestType = root.lookupType('Request');
const MetricsRequestType = root.lookupType('MetricsRequest');

const Id = z.string().transform((text) => Buffer.from(text, 'base64').toString('hex'));
const Nanos = z.coerce.number().transform((nanos) => nanos / 1e6);
const AnyValue = z.looseObject({}).transform((value) => {
  const [kind, held] = Object.entries(value)[0] ?? [];
  if (kind === 'intValue') return Number(held);
  return kind === 'arrayValue' ? JSON.stringify(held) : held;
});
const Attributes = z
  .array(z.object({ key: z.string(), value: AnyValue }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const Span = z.object({
  traceId: Id,
  spanId: Id,
  parentSpanId: Id.default(''),
  name: z.string(),
  kind: z.number().default(0),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  links: z.array(z.object({ traceId: Id, spanId: Id })).default([]),
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
const Request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

const Aggregated = z.object({ aggregationTemporality: z.number() }).optional();
const MetricsRequest = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeMetrics: z.array(
        z.object({ metrics: z.array(z.object({ name: z.string(), sum: Aggregated, histogram: Aggregated })) }),
      ),
    }),
  ),
});

function readSent(body: Uint8Array): readonly CollectedMetric[] {
  const plain = MetricsRequestType.toObject(MetricsRequestType.decode(body));
  return MetricsRequest.parse(plain).resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ name, sum, histogram }) => ({
        service: String(resource.attributes['service.name']),
        name,
        temporality: (sum ?? histogram)?.aggregationTemporality,
      })),
    ),
  );
}

const FAILED = 2;

function read(body: Uint8Array): { readonly text: string; readonly spans: readonly CollectedSpan[] } {
  const plain = RequestType.toObject(RequestType.decode(body), { bytes: String, longs: String });
  const spans = Request.parse(plain).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ parentSpanId, startTimeUnixNano, endTimeUnixNano, status, ...span }) => ({
        ...span,
        service: String(resource.attributes['service.name']),
        parentId: parentSpanId,
        startedAt: startTimeUnixNano,
        endedAt: endTimeUnixNano,
        isFailed: status.code === FAILED,
      })),
    ),
  );
  return { text: JSON.stringify(plain), spans };
}

export async function startCollector(): Promise<Collector> {
  let spans: CollectedSpan[] = [];
  let texts: string[] = [];
  let metrics: CollectedMetric[] = [];
  let requests = 0;
  let isRefusing = false;
  const taken = (): Response => new Response(null, { headers: { 'content-type': 'application/x-protobuf' } });
  const serve = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === '/v1/metrics') {
      metrics.push(...readSent(new Uint8Array(await request.arrayBuffer())));
      return taken();
    }
    requests += 1;
    if (isRefusing) return new Response(null, { status: 503 });
    const found = read(new Uint8Array(await request.arrayBuffer()));
    spans.push(...found.spans);
    texts.push(found.text);
    return taken();
  };
  const door = await listenOnPort({ fetch: serve }, { port: 0 });
  return {
    url: door.url,
    get spans() {
      return spans;
    },
    get metrics() {
      return metrics;
    },
    get requests() {
      return requests;
    },
    text: () => texts.join('\n'),
    refuse: () => void (isRefusing = true),
    forget() {
      [spans, texts, metrics] = [[], [], []];
    },
    stop: () => door.stop(),
  };
}
