/** A variable of the environment. */
interface VariableText {
  readonly name: string;
  readonly readBy: string;
  readonly meaning: string;
  /** The value without it; an empty text if it is needed. */
  readonly otherwise: string;
}

const ALL = 'API, worker, `start`';
const BOTH = 'API, worker';

/** Every variable that Holdfast reads. */
export const VARIABLES: readonly VariableText[] = [
  {
    name: 'DATABASE_URL',
    readBy: BOTH,
    meaning: 'PostgreSQL: `postgres://user:password@host:port/database`',
    otherwise: '',
  },
  {
    name: 'HOLDFAST_CURSOR_SECRET',
    readBy: 'API',
    meaning: 'signs cursors and ETags: any long random text, the same for every API process',
    otherwise: '',
  },
  { name: 'PORT', readBy: 'API', meaning: 'port of the API', otherwise: '3000' },
  {
    name: 'HOLDFAST_CONFIG',
    readBy: ALL,
    meaning: 'the configuration file',
    otherwise: 'the first `holdfast.config.*` in the working folder',
  },
  { name: 'HOLDFAST_HEALTH_PORT', readBy: 'worker', meaning: 'port of its probes and metrics', otherwise: 'no port' },
  {
    name: 'HOLDFAST_TASK_QUEUES',
    readBy: 'worker, `start`',
    meaning: 'the task queues that it serves, with commas between them',
    otherwise: '`holdfast`',
  },
  {
    name: 'HOLDFAST_CACHED_RUNS',
    readBy: 'worker',
    meaning: 'the number of runs that it keeps in memory',
    otherwise: 'one for each MiB of heap beyond 200',
  },
  {
    name: 'HOLDFAST_WORKFLOW_BUNDLE',
    readBy: 'worker, `start`',
    meaning: 'a bundle of the workflow code, made by `npm run bundle`',
    otherwise: 'the one in the package',
  },
  { name: 'LOG_LEVEL', readBy: ALL, meaning: '`trace`, `debug`, `info`, `warn`, `error`', otherwise: '`info`' },
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
    name: 'HOLDFAST_MODEL_URL',
    readBy: 'the bundled configuration',
    meaning: 'the address of the scripted model; `start` sets it',
    otherwise: '`http://127.0.0.1:18302/v1`',
  },
  {
    name: 'SHOP_URL',
    readBy: 'the bundled configuration',
    meaning: 'the address of the shop; `start` sets it',
    otherwise: '`http://127.0.0.1:18301`',
  },
  {
    name: 'TEMPORAL_ADDRESS',
    readBy: ALL,
    meaning: 'Temporal, as `host:port`',
    otherwise: '`localhost:7233`; `start` runs a server of its own',
  },
  { name: 'TEMPORAL_NAMESPACE', readBy: ALL, meaning: 'the namespace', otherwise: '`default`' },
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
  {
    name: 'TEMPORAL_DEPLOYMENT_NAME',
    readBy: 'worker',
    meaning: 'the deployment of its [version](../versioning.md); goes with the next',
    otherwise: 'no versions',
  },
  { name: 'TEMPORAL_WORKER_BUILD_ID', readBy: 'worker', meaning: 'its version', otherwise: 'no versions' },
];

/** Variables of Temporal's own tools, which its library reads. */
export const TEMPORAL_VARIABLES: Readonly<Record<string, string>> = {
  TEMPORAL_API_KEY: 'a key of Temporal Cloud; it turns TLS on',
  TEMPORAL_TLS: '`true` or `false`',
  TEMPORAL_TLS_CLIENT_CERT_PATH:
    'the certificate of the client, for mTLS; `_DATA` instead of `_PATH` has the text itself',
  TEMPORAL_TLS_CLIENT_KEY_PATH: 'its key; `_DATA` as above',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'the certificate of an authority that is not known otherwise; `_DATA` as above',
  TEMPORAL_TLS_SERVER_NAME: 'the name that the certificate of the server must have',
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: '`true` does not check that name',
  TEMPORAL_CONFIG_FILE: 'a file with profiles, as `temporal config` writes it',
  TEMPORAL_PROFILE: 'the profile of that file',
};
