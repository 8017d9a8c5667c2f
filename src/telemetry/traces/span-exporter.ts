import { setVariables } from '../../process/set-variables.ts';

/** Where spans go. */
export type SpanExporterName = 'otlp' | 'console';

const NAMES: readonly SpanExporterName[] = ['otlp', 'console'];

interface Choice {
  /** `null`: no span is made. */
  readonly exporter: SpanExporterName | null;
  /** What of the variables can't be heeded. */
  readonly problems: readonly string[];
}

/**
 * Chooses where spans go, by OpenTelemetry's own variables. They are made if an address for them is set, or if
 * `OTEL_TRACES_EXPORTER` says so; only `http/protobuf` is spoken.
 */
export function chooseSpanExporter(environment: NodeJS.ProcessEnv): Choice {
  const given = setVariables(environment);
  const wanted = wantedIn(given);
  if (wanted === 'none') return { exporter: null, problems: [] };
  const exporter = NAMES.find((name) => name === wanted) ?? null;
  if (!exporter) return { exporter, problems: [`OTEL_TRACES_EXPORTER=${wanted} is not known; no spans are sent`] };
  return { exporter, problems: exporter === 'otlp' ? protocolProblems(given) : [] };
}

type Variables = ReturnType<typeof setVariables>;

function wantedIn(given: Variables): string {
  if (given['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return 'none';
  const hasAddress = ADDRESSES.some((name) => given[name] !== undefined);
  return given['OTEL_TRACES_EXPORTER'] ?? (hasAddress ? 'otlp' : 'none');
}

function protocolProblems(given: Variables): readonly string[] {
  const protocol = given['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? given['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? SPOKEN;
  return protocol === SPOKEN ? [] : [`Spans are sent by ${SPOKEN}, and not by ${protocol}`];
}

const SPOKEN = 'http/protobuf';

const ADDRESSES = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;
