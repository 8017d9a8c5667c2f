import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { MeterProviderOptions } from '@opentelemetry/sdk-metrics';
import { METRICS } from './catalog.ts';
import type { MetricFacts } from './catalog.ts';

export type MetricName = keyof typeof METRICS;

/** The labels of a metric; one that does not apply is `undefined`. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof METRICS)[Name]['labels']]: string | number | undefined;
};

interface MeasurementOf<Name extends MetricName> {
  readonly name: Name;
  readonly value: number;
  readonly labels: LabelsOf<Name>;
}

/** A value of a metric. */
export type Measurement = { readonly [Name in MetricName]: MeasurementOf<Name> }[MetricName];

type MetricLabels = Record<string, string | number>;
type MetricInstrument = (value: number, labels: MetricLabels) => void;

/** The instruments of this process, and their readers. */
interface ProcessMeter {
  readonly instruments: ReadonlyMap<string, MetricInstrument>;
  readonly reader: PrometheusExporter;
  readonly names: BoundedNames;
}

const FACTS_OF_METRICS: Readonly<Record<string, MetricFacts>> = METRICS;

/** Counters and levels without labels are 0 from the start; the other metrics are absent until they are measured. */
const STARTING_VALUE = 0;

function createMeter({ readers = [], ...options }: MeterProviderOptions = {}): ProcessMeter {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meter = new MeterProvider({ ...options, readers: [reader, ...readers] }).getMeter('holdfast');
  const create = (name: string, { kind, about, unit, bounds = [] }: MetricFacts): MetricInstrument => {
    const described = { description: about, ...(unit !== undefined && { unit }) };
    switch (kind) {
      case 'counter': {
        const counter = meter.createCounter(name, described);
        return (value, labels) => counter.add(value, labels);
      }
      case 'level': {
        const level = meter.createUpDownCounter(name, described);
        return (value, labels) => level.add(value, labels);
      }
      case 'gauge': {
        const gauge = meter.createGauge(name, described);
        return (value, labels) => gauge.record(value, labels);
      }
      case 'histogram': {
        const advice = { explicitBucketBoundaries: [...bounds] };
        const histogram = meter.createHistogram(name, { ...described, advice });
        return (value, labels) => histogram.record(value, labels);
      }
    }
  };
  const instruments = new Map(Object.entries(FACTS_OF_METRICS).map(([name, each]) => [name, create(name, each)]));
  for (const [name, { kind, labels }] of Object.entries(FACTS_OF_METRICS))
    if ((kind === 'counter' || kind === 'level') && Object.keys(labels).length === 0)
      instruments.get(name)?.(STARTING_VALUE, {});
  return { instruments, reader, names: createBoundedNames() };
}

let currentMeter = createMeter();
let isPushing = false;

/** True if metrics are pushed to a collector. */
export function sendsMetrics(): boolean {
  return isPushing;
}

/**
 * Replaces the readers, for example by one that pushes. Earlier measurements are dropped.
 * @returns a function that restores the previous readers
 */
export function measureWith(options: MeterProviderOptions): () => void {
  const before = currentMeter;
  currentMeter = createMeter(options);
  isPushing = true;
  return () => {
    currentMeter = before;
    isPushing = false;
  };
}

/**
 * Measures: adds to a counter or a level, sets a gauge, or adds a value to a histogram. It is synchronous. When labels
 * with user-chosen values have too many, the rest share one series.
 */
export function measure<Name extends MetricName>(name: Name, value: number, labels: LabelsOf<Name>): void {
  recordMeasurement(name, value, labels);
}

/** Measures several values in order. */
export function measureAll(measurements: readonly Measurement[]): void {
  for (const { name, value, labels } of measurements) recordMeasurement(name, value, labels);
}

function recordMeasurement(
  name: MetricName,
  value: number,
  labels: Readonly<Record<string, string | number | undefined>>,
): void {
  const { names, instruments } = currentMeter;
  const kinds = FACTS_OF_METRICS[name]?.labels ?? {};
  const bounded: MetricLabels = {};
  for (const [label, given] of Object.entries(labels)) {
    if (given === undefined) continue;
    bounded[label] = kinds[label] === 'named' ? names.bound(`${name} ${label}`, String(given)) : given;
  }
  instruments.get(name)?.(value, bounded);
}

const [PREFIX, TIMESTAMPS, RESOURCE, NO_TARGET, NO_SCOPE] = ['', false, undefined, true, true] as const;
const SERIALIZER = new PrometheusSerializer(PREFIX, TIMESTAMPS, RESOURCE, NO_TARGET, NO_SCOPE);

/** The media type of Prometheus' text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Reads all metrics of this process, in Prometheus' text format. */
export async function readMetrics(): Promise<string> {
  const { resourceMetrics } = await currentMeter.reader.collect();
  return SERIALIZER.serialize(resourceMetrics);
}

/** The number of values of one label with their own series. All others share one. */
const MAX_NAMES = 100;

/** In characters. */
const MAX_LENGTH = 100;

const OTHER = 'other';

/** Limits the number of series, whatever names users give to graphs and tools. */
export interface BoundedNames {
  /** @returns the value, or `other` when the label already has the maximum number of values */
  bound(label: string, value: string): string;
}

function createBoundedNames(): BoundedNames {
  const known = new Map<string, Set<string>>();
  return {
    bound(label, value) {
      const name = value.slice(0, MAX_LENGTH);
      let names = known.get(label);
      if (!names) known.set(label, (names = new Set()));
      if (names.has(name)) return name;
      if (names.size >= MAX_NAMES) return OTHER;
      names.add(name);
      return name;
    },
  };
}
