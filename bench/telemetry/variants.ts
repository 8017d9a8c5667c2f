/** A telemetry configuration of Holdfast. */
export interface Variant {
  readonly name: string;
  readonly title: string;
  /** Its variables. @param sink the address that accepts spans and metrics */
  readonly environment: (sink: string) => NodeJS.ProcessEnv;
  /** True if its `/metrics` endpoint is read during the measurement. */
  readonly isScraped: boolean;
}

/** The interval at which metrics are sent or read, a thirtieth of the default, so that each sample includes some. */
export const METRICS_EVERY_MS = 2_000;
/** The interval at which spans are sent. */
export const SPANS_EVERY_MS = 1_000;

const NOTHING_SENT = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };

function sampling(ratio: number): Variant['environment'] {
  return (sink) => ({
    ...NOTHING_SENT,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${sink}/v1/traces`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(ratio),
    OTEL_BSP_SCHEDULE_DELAY: String(SPANS_EVERY_MS),
  });
}

/** The variant with which all others are compared. */
export const OFF: Variant = {
  name: 'off',
  title: 'nothing is sent or read',
  environment: () => NOTHING_SENT,
  isScraped: false,
};

/** The variants in the order of the report. */
export const VARIANTS: readonly Variant[] = [
  {
    name: 'scraped',
    title: '`/metrics` is read',
    environment: () => NOTHING_SENT,
    isScraped: true,
  },
  {
    name: 'metrics',
    title: 'metrics are sent',
    environment: (sink) => ({
      ...NOTHING_SENT,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${sink}/v1/metrics`,
      OTEL_METRIC_EXPORT_INTERVAL: String(METRICS_EVERY_MS),
    }),
    isScraped: false,
  },
  {
    name: 'spans-of-a-tenth',
    title: 'spans of a tenth of the runs',
    environment: sampling(0.1),
    isScraped: false,
  },
  { name: 'spans', title: 'spans of all runs', environment: sampling(1), isScraped: false },
];
