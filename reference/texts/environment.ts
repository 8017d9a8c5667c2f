/** A variable of the environment. */
interface VariableText {
  readonly name: string;
  readonly readBy: string;
  readonly meaning: string;
  /** The value without it. */
  readonly otherwise: string;
}

/** Variables beside the settings of API and workers (`src/config/settings.ts`). */
export const VARIABLES: readonly VariableText[] = [
  {
    name: 'HOLDFAST_WORKFLOW_BUNDLE',
    readBy: 'worker, `start`',
    meaning: 'a bundle of the workflow code, made by `npm run bundle`',
    otherwise: 'the one in the package',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readBy: 'API, worker, `start`',
    meaning: 'where [spans](../tracing.md) and [metrics](../monitoring.md) go; OpenTelemetry has further variables',
    otherwise: 'none are sent',
  },
  {
    name: 'OTEL_TRACES_EXPORTER',
    readBy: 'API, worker, `start`',
    meaning: '`otlp`, `console` or `none`',
    otherwise: '`otlp` if an address is set, else `none`',
  },
  {
    name: 'OTEL_METRICS_EXPORTER',
    readBy: 'API, worker, `start`',
    meaning: '`otlp`, `console`, `none` or `prometheus`; at `/metrics` they are anyway',
    otherwise: '`otlp` if an address is set, else `none`',
  },
  {
    name: 'OTEL_METRIC_EXPORT_INTERVAL',
    readBy: 'API, worker, `start`',
    meaning: 'the time between two times that metrics are sent, in milliseconds',
    otherwise: '`60000`',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    readBy: 'API, `start`',
    meaning: 'which requests, and the runs that they ask for, are traced',
    otherwise: '`parentbased_always_on`',
  },
  {
    name: 'NODE_ENV',
    readBy: '`start`',
    meaning: '`production` refuses the issuer of `npm start`',
    otherwise: 'not production',
  },
  {
    name: 'HOLDFAST_URL',
    readBy: 'command line',
    meaning: 'the address of the API',
    otherwise: '`--url` or `--tokens-file` say it',
  },
  {
    name: 'HOLDFAST_TOKEN',
    readBy: 'command line',
    meaning: 'the bearer token',
    otherwise: '`--token` or `--tokens-file` say it',
  },
  {
    name: 'HOLDFAST_TOKENS_FILE',
    readBy: 'command line',
    meaning: 'the file with the tokens of the stack on this machine',
    otherwise: '`.holdfast/tokens.json`',
  },
  {
    name: 'HOLDFAST_MODEL_URL',
    readBy: 'the bundled configuration',
    meaning: 'the address of the scripted model; `start --demo` sets it',
    otherwise: '`http://127.0.0.1:18302/v1`',
  },
  {
    name: 'SHOP_URL',
    readBy: 'the bundled configuration',
    meaning: 'the address of the shop; `start --demo` sets it',
    otherwise: '`http://127.0.0.1:18301`',
  },
  {
    name: 'TEMPORAL_UI_URL',
    readBy: '`start`',
    meaning: 'the Web UI of the server at `TEMPORAL_ADDRESS`',
    otherwise: 'not known',
  },
  {
    name: 'TEMPORAL_CLI_PATH',
    readBy: '`start`',
    meaning: 'the program `temporal`',
    otherwise: '`temporal` on the `PATH`, then a download',
  },
];
