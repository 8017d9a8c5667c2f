import { z } from 'zod';
import { setVariables } from '../process/process-options.ts';
import { SetupError } from '../process/setup-error.ts';

/** A variable of the environment. */
export interface Setting {
  /** One sentence for people; the documentation's table has it, too. */
  readonly meaning: string;
  /** The default text. */
  readonly fallback?: string;
  readonly schema: z.ZodType;
}

const RequiredText = z.string();
const OptionalText = z.string().optional();
const LogLevel = z.enum(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  'is no level: trace, debug, info, warn, error, fatal or silent',
);
const PortNumber = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port, from 0 to 65535')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port, from 0 to 65535');
const LogFormat = z.enum(['json', 'pretty'], 'is no format: json or pretty').optional();
const PositiveCount = z.string().regex(/^[1-9]\d+$/, 'must be a whole number, 10 or more');
const UrlSetting = z
  .string()
  .refine((url) => URL.canParse(url), 'must be a URL, such as postgres://user:password@host/database');

/** The environment variables of API and workers. The configuration chooses the names of secrets. */
export const SETTINGS = {
  DATABASE_URL: { meaning: 'PostgreSQL, such as `postgres://user:password@host/database`', schema: UrlSetting },
  HOLDFAST_CONFIG: { meaning: 'The configuration file', fallback: 'holdfast.config.ts', schema: OptionalText },
  HOLDFAST_CURSOR_SECRET: {
    meaning: 'Signs the cursors of lists: a long random text, the same for every API process',
    schema: RequiredText,
  },
  PORT: { meaning: 'The port of the API', fallback: '3000', schema: PortNumber },
  METRICS_PORT: {
    meaning: 'A port of the API for `GET /metrics` without a token; without it, metrics are at `PORT`, with a token',
    schema: PortNumber.optional(),
  },
  METRICS_HOST: {
    meaning: 'The address at which `METRICS_PORT` is open, such as `0.0.0.0`',
    fallback: '127.0.0.1',
    schema: OptionalText,
  },
  LOG_LEVEL: { meaning: `One of ${LogLevel.options.join(', ')}`, fallback: 'info', schema: LogLevel },
  LOG_FORMAT: { meaning: '`json` or `pretty`; by default `pretty` on a terminal, else `json`', schema: LogFormat },
  HOLDFAST_HEALTH_PORT: {
    meaning: "The port of a worker's probes; without it there are none",
    schema: PortNumber.optional(),
  },
  HOLDFAST_TEMPORAL_METRICS_PORT: {
    meaning: "The port of the metrics of Temporal's SDK in a worker, in Prometheus' format; without it there are none",
    schema: PortNumber.optional(),
  },
  HOLDFAST_TASK_QUEUES: {
    meaning: 'The queues that a worker serves, with commas between them',
    fallback: 'holdfast',
    schema: OptionalText,
  },
  HOLDFAST_CACHED_RUNS: {
    meaning: 'The runs that a worker keeps in memory, 10 or more; by default as many as its heap takes',
    schema: PositiveCount.optional(),
  },
  TEMPORAL_DEPLOYMENT_NAME: { meaning: 'With the next one: the version of a worker', schema: OptionalText },
  TEMPORAL_WORKER_BUILD_ID: { meaning: 'With the one before: the version of a worker', schema: OptionalText },
  TEMPORAL_ADDRESS: { meaning: "Temporal's host and port", fallback: '127.0.0.1:7233', schema: OptionalText },
  TEMPORAL_NAMESPACE: { meaning: 'The namespace of the runs', fallback: 'default', schema: OptionalText },
  TEMPORAL_API_KEY: { meaning: 'An API key of Temporal Cloud; with it, TLS is on', schema: OptionalText },
  TEMPORAL_TLS: { meaning: '`true` or `false`: use TLS, or not', schema: OptionalText },
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: {
    meaning: "The authority that signs the server's certificate",
    schema: OptionalText,
  },
  TEMPORAL_TLS_CLIENT_CERT_PATH: { meaning: 'The certificate of this process, for mTLS', schema: OptionalText },
  TEMPORAL_TLS_CLIENT_KEY_PATH: { meaning: 'The key of that certificate', schema: OptionalText },
  TEMPORAL_TLS_SERVER_NAME: {
    meaning: "The name in the server's certificate, if it is another one",
    schema: OptionalText,
  },
  TEMPORAL_PROFILE: {
    meaning: "A profile of Temporal's configuration file",
    fallback: 'default',
    schema: OptionalText,
  },
  TEMPORAL_CONFIG_FILE: { meaning: "Temporal's configuration file, if it is elsewhere", schema: OptionalText },
} as const satisfies Readonly<Record<string, Setting>>;

const commonSettings = {
  DATABASE_URL: SETTINGS.DATABASE_URL.schema,
  LOG_LEVEL: SETTINGS.LOG_LEVEL.schema,
  LOG_FORMAT: SETTINGS.LOG_FORMAT.schema,
};

/** Settings of `holdfast start`, apart from the addresses of external servers. */
export const StackSettings = z.object({
  LOG_LEVEL: SETTINGS.LOG_LEVEL.schema,
  HOLDFAST_TEMPORAL_METRICS_PORT: SETTINGS.HOLDFAST_TEMPORAL_METRICS_PORT.schema,
});

/** Settings of `holdfast setup`, besides Temporal's variables. */
export const SetupSettings = z.object({ DATABASE_URL: SETTINGS.DATABASE_URL.schema });

/** Settings of an API process, besides Temporal's variables. */
export const ApiSettings = z.object({
  ...commonSettings,
  HOLDFAST_CURSOR_SECRET: SETTINGS.HOLDFAST_CURSOR_SECRET.schema,
  PORT: SETTINGS.PORT.schema,
  METRICS_PORT: SETTINGS.METRICS_PORT.schema,
  METRICS_HOST: SETTINGS.METRICS_HOST.schema,
});

/** Settings of a worker, besides Temporal's variables. */
export const WorkerSettings = z
  .object({
    ...commonSettings,
    HOLDFAST_HEALTH_PORT: SETTINGS.HOLDFAST_HEALTH_PORT.schema,
    HOLDFAST_TEMPORAL_METRICS_PORT: SETTINGS.HOLDFAST_TEMPORAL_METRICS_PORT.schema,
    HOLDFAST_TASK_QUEUES: SETTINGS.HOLDFAST_TASK_QUEUES.schema,
    HOLDFAST_CACHED_RUNS: SETTINGS.HOLDFAST_CACHED_RUNS.schema,
    TEMPORAL_DEPLOYMENT_NAME: SETTINGS.TEMPORAL_DEPLOYMENT_NAME.schema,
    TEMPORAL_WORKER_BUILD_ID: SETTINGS.TEMPORAL_WORKER_BUILD_ID.schema,
  })
  .refine(
    ({ TEMPORAL_DEPLOYMENT_NAME: name, TEMPORAL_WORKER_BUILD_ID: id }) => (name === undefined) === (id === undefined),
    {
      path: ['TEMPORAL_DEPLOYMENT_NAME'],
      message: 'and TEMPORAL_WORKER_BUILD_ID go together; one of them is not set',
      // Reported together with other problems.
      when: () => true,
    },
  );

export type ApiEnvironment = z.output<typeof ApiSettings>;
export type WorkerEnvironment = z.output<typeof WorkerSettings>;

/**
 * Checks the environment of a process. An empty variable counts as unset.
 * @throws SetupError with all problems, one per line
 */
export function readSettings<T extends z.ZodType>(settings: T, environment: NodeJS.ProcessEnv): z.output<T> {
  const given = setVariables(environment);
  const parsed = settings.safeParse({ ...FALLBACKS, ...given });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    const meaning = Object.entries<Setting>(SETTINGS).find(([key]) => key === name)?.[1].meaning;
    return name in given || message.startsWith('and ') ? `  ${name} ${message}` : `  ${name} is not set: ${meaning}`;
  });
  throw new SetupError(`The environment can't be used:\n${problems.join('\n')}`);
}

const FALLBACKS = Object.fromEntries(
  Object.entries<Setting>(SETTINGS).flatMap(([name, { fallback }]) =>
    fallback === undefined ? [] : [[name, fallback]],
  ),
);
