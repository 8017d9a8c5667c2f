import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

const reader = new PrometheusExporter({ preventServerStart: true });

/** Makes the instruments of this process (OpenTelemetry, metrics API). */
export const meter = new MeterProvider({ readers: [reader] }).getMeter('holdfast');

const [PREFIX, TIMESTAMPS, RESOURCE, NO_TARGET, NO_SCOPE] = ['', false, undefined, true, true] as const;
const SERIALIZER = new PrometheusSerializer(PREFIX, TIMESTAMPS, RESOURCE, NO_TARGET, NO_SCOPE);

/** The media type of Prometheus' text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Reads all metrics of this process, in Prometheus' text format. */
export async function readMetrics(): Promise<string> {
  const { resourceMetrics } = await reader.collect();
  return SERIALIZER.serialize(resourceMetrics);
}
