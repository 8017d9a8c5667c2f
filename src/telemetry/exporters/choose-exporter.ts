import { setVariables } from '../../process/process-options.ts';

/** The destination of spans or metrics. */
export type ExporterName = 'otlp' | 'console';

/** The names of spans and metrics in OpenTelemetry's variables. */
export type TelemetrySignal = 'TRACES' | 'METRICS';

interface ExporterChoice {
  /** `null` if nothing is sent. */
  readonly exporter: ExporterName | null;
  /** Warnings about variables that have no effect. */
  readonly problems: readonly string[];
}

interface SignalFacts {
  readonly called: string;
  /** Known names with which nothing is sent. */
  readonly unsent: readonly string[];
}

const NAMES: readonly ExporterName[] = ['otlp', 'console'];

const SIGNALS: Readonly<Record<TelemetrySignal, SignalFacts>> = {
  TRACES: { called: 'spans', unsent: ['none'] },
  METRICS: { called: 'metrics', unsent: ['none', 'prometheus'] },
};

/**
 * Chooses the exporter of spans or metrics by OpenTelemetry's own variables. They are sent if an address for them is
 * set, or if `OTEL_TRACES_EXPORTER` or `OTEL_METRICS_EXPORTER` names an exporter; the only protocol is `http/protobuf`.
 */
export function chooseExporter(signal: TelemetrySignal, environment: NodeJS.ProcessEnv): ExporterChoice {
  const given = setVariables(environment);
  const { called, unsent } = SIGNALS[signal];
  const requested = requestedExporters(signal, given).filter((name) => !unsent.includes(name));
  const exporter = NAMES.find((name) => requested.includes(name)) ?? null;
  const others = requested.filter((name) => name !== exporter);
  const problems = others.map((name) => {
    const why = NAMES.some((known) => known === name) ? `is left out beside ${exporter}` : 'is not known';
    return `OTEL_${signal}_EXPORTER=${name} ${why}; no ${called} are sent there`;
  });
  return { exporter, problems: [...problems, ...(exporter === 'otlp' ? protocolProblems(signal, given) : [])] };
}

type EnvironmentVariables = ReturnType<typeof setVariables>;

function requestedExporters(signal: TelemetrySignal, given: EnvironmentVariables): readonly string[] {
  if (given['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return [];
  const addresses = ['OTEL_EXPORTER_OTLP_ENDPOINT', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const hasAddress = addresses.some((name) => given[name] !== undefined);
  const named = given[`OTEL_${signal}_EXPORTER`] ?? (hasAddress ? 'otlp' : 'none');
  return named.split(',').map((name) => name.trim());
}

function protocolProblems(signal: TelemetrySignal, given: EnvironmentVariables): readonly string[] {
  const { called } = SIGNALS[signal];
  const protocol = given[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? given['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? SPOKEN;
  return protocol === SPOKEN ? [] : [`The ${called} are sent by ${SPOKEN}, and not by ${protocol}`];
}

const SPOKEN = 'http/protobuf';

/** The telemetry that a process sends. */
export interface Exporting {
  /** The destination; `null` if nothing is sent. */
  readonly exporter: ExporterName | null;
  /** Sends the rest, and stops. */
  close(): Promise<void>;
}

export interface ExportOptions {
  /** The name of the process, unless `OTEL_SERVICE_NAME` sets another one. */
  readonly service: string;
  /** Logs problems of the SDK. */
  readonly report: (message: string) => void;
}

export const NOT_EXPORTING: Exporting = { exporter: null, close: async () => undefined };
