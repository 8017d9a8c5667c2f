import type { ConfigInput } from '../../src/config/load-config.ts';
import type { McpServerInput } from '../../src/config/mcp-servers.ts';
import type { EmbeddingsInput, ModelInput } from '../../src/config/model.ts';
import type { HttpToolInput } from '../../src/config/tool.ts';
import type { CodeToolFields } from '../../src/config/tool-methods.ts';

/** All fields of the members of a union. */
type FieldOf<T> = T extends unknown ? keyof T & string : never;
type Texts<T> = Readonly<Record<FieldOf<NonNullable<T>>, string>>;

/** The fields of a configuration. It compiles only if none is missing. */
export const TOP: Texts<ConfigInput> = {
  models: 'The models, by the name that nodes use. A node that names none uses `default`.',
  tools: 'The tools: objects for HTTP requests, `defineTool({…})`, instances of classes with `@tool`.',
  mcpServers: 'The MCP servers whose tools join these, by name.',
  functions:
    'The functions, by name: `(args, context) => …`, or `{ execute, effect, timeout, retry }`. TypeScript only.',
  nodeTypes: 'Node types of your own: `defineNodeType({ name, schema, execute })`. TypeScript only.',
  messageProcessors: 'Code that fits messages to a model, by name. TypeScript only.',
  tokenCounters: 'Code that counts tokens, by name. TypeScript only.',
  memory: 'How long-term memory is searched.',
  secrets: '`async (name) => value`, such as a vault. Without it, the environment of the worker. TypeScript only.',
  store:
    'Another store than the one in PostgreSQL, or one around it: `async (open) => store` ([a store of your own](../store.md)). TypeScript only.',
  codecs: "Temporal's payload codecs, such as one that encrypts; the first is applied first. TypeScript only.",
  graphs:
    'A folder with definitions, or `{ folder, tenants }`. `start` publishes them for the tenant `demo`, `holdfast api` for these tenants.',
  http: 'The addresses that tools and models may reach, and the pages that may use the API.',
  webhooks: 'The addresses that webhooks may reach.',
  auth: 'The tokens that the API accepts. Needed in production.',
  roles:
    'What roles permit: lists of permissions, by the name of the role. A built-in role is replaced, the others stay; `admin` keeps `admin`.',
  tenants:
    'What tenants may use up, by their names: `runsPerMinute`, `costUsdPerDay`. `*` is for all; of what the entry of a tenant does not say, `*` counts.',
  defaults: 'Values for what graphs do not say.',
  ceilings: 'The most that any graph may ask for.',
  retention: 'The age after which ended runs, and entries of the audit, are forgotten; without it they stay.',
  forking: 'False refuses forks of runs; explanations and the console offer none then.',
  waits: 'The number of requests with `Prefer: wait` that one API process keeps waiting.',
  streams: 'The number of streams of events that one API process keeps open.',
  telemetry: 'What [spans](../tracing.md) hold.',
  shutdownGrace: 'The time that a process may take to finish what it has begun when it is asked to end.',
};

export const MODEL: Texts<ModelInput> = {
  provider: 'The API that it speaks, or [a service](../models.md#services) that speaks one of them.',
  model: "The provider's name of the model; of `azure` that of the deployment.",
  resource: 'Of `azure`: the name of the resource.',
  region: 'Of `bedrock`: the region, such as `eu-central-1`.',
  baseUrl: 'The address, for `openai-compatible` or a proxy.',
  apiKey: 'The key, as `{ "secret": "NAME" }`.',
  stream: 'False asks for whole answers. By default answers are read while they are written, if the server can.',
  generate: 'Instead of all these: code that answers.',
  price: '`input` and `output`, in USD for a million tokens. Budgets in USD need it.',
  contextWindow: 'The most tokens of one request.',
  tokenCounter: 'One of `tokenCounters`.',
  timeout: 'The time limit of one attempt.',
  retry: 'The number of attempts, and the time between them.',
};

export const EMBEDDINGS: Texts<EmbeddingsInput> = {
  provider: 'The API that it speaks: `openai`, `google` or `openai-compatible`.',
  model: "The provider's name of the model.",
  baseUrl: 'The address, for `openai-compatible` or a proxy.',
  apiKey: 'The key, as `{ "secret": "NAME" }`.',
  dimensions: 'The length of its vectors. `openai` and `google` are asked for it, other models have their own.',
  minSimilarity: 'What is less like a query is not found by meaning: a cosine from -1 to 1, 0 by default.',
  timeout: 'The time limit of a request, 5 s by default; after it, entries are found by words.',
  price: '`input`, in USD for a million tokens: the metrics count the cost by it.',
};

type CodeTool = CodeToolFields<never, string> & { readonly execute: unknown };

export const TOOL: Texts<HttpToolInput | CodeTool> = {
  name: 'The name that graphs and models use: 1 to 64 letters, digits, `_`, `.`, `:`, `-`.',
  description: 'What models read.',
  parameters: 'JSON Schema of the arguments; in code also a schema of zod.',
  result: 'JSON Schema of what it returns; in code also a schema of zod. Another result is a failure.',
  effect: '`idempotent`, `keyed` or `unsafe`: what a second call does.',
  approval: '`never`, `always` or `{ when?, policy?, timeout? }`: when people are asked before a call.',
  roles: 'Roles of which the starter of a run needs one.',
  onFailure: "What becomes of an agent's failed call: `tell`, `intervene`, or the name of another tool.",
  timeout: 'The time limit of one attempt.',
  retry: 'The number of attempts, and the time between them.',
  taskQueue: 'The task queue whose workers make the calls.',
  execution: '`local` for short idempotent calls.',
  method: 'HTTP: the method.',
  url: 'HTTP: the address; `{{ }}` in path and query over `args`.',
  headers: 'HTTP: the headers; a value may be `{ "secret": "NAME" }`.',
  body: 'HTTP: how arguments are written in a body: `json`, or `form` for the fields of a form.',
  lists: 'HTTP: how lists are written in a query or a form: `repeat` (`ids=a&ids=b`), `brackets` or `commas`.',
  secrets: 'Code: the names of the secrets that it may use.',
  execute: 'Code: `(args, context) => result`.',
};

export const MCP_SERVER: Texts<McpServerInput> = {
  command: 'The program of a server that speaks over standard input and output.',
  args: 'Its arguments.',
  env: 'Its environment; a value may be `{ "secret": "NAME" }`.',
  cwd: 'Its working folder.',
  url: 'Instead of a program: the address of a server that speaks streamable HTTP.',
  headers: 'The headers of requests; a value may be `{ "secret": "NAME" }`.',
  optional:
    'True: processes start without the server; the tools that `tools` names fail as unavailable until it is there.',
  trusted: "True: the server's hints on the safety of its tools count.",
  tools:
    'The tools that are offered, by their names at the server, with the fields of a tool, `errorMeans`, `as` and `pin`; without it, all.',
  timeout: 'The time limit of one attempt.',
};

/** The fields of the smaller sections. */
export const SECTIONS: { readonly [Name in SectionName]: Texts<ConfigInput[Name]> } = {
  auth: {
    issuer: 'The `iss` of tokens.',
    audience: 'The `aud` of tokens.',
    jwksUrl: 'The address of the keys.',
    claims: 'The names of the claims `tenant` and `roles`.',
    console:
      'How people sign in at the [console](../console.md): `clientId`, `scope`, `parameters` for the issuer, `origins` of its token endpoint.',
  },
  http: {
    allow: 'Private addresses, as `host:port`. All other private ones are blocked.',
    cors: '`origins` of pages that [may use the API](../client.md#from-a-page-of-another-origin), and `maxAge`, for which browsers remember it.',
  },
  webhooks: { allow: 'Private addresses, as `host:port`; those of `http.allow` do not count.' },
  defaults: {
    maxSteps: 'Supersteps of a run.',
    maxConcurrency: 'Open calls of a run.',
    deadline: 'The time limit of a run.',
    approvalTimeout: 'The time that people have to decide.',
    timeout: 'The time limit of one attempt.',
    heartbeatTimeout: 'The time without a sign of life after which a call is tried again.',
    continueAfter:
      'The number of events of Temporal, besides those that an execution begins with, after which a run goes on in a new one.',
    retry: 'The number of attempts, and the time between them.',
  },
  ceilings: {
    maxSteps: 'Supersteps of a graph.',
    attempts: 'Attempts of a call.',
    timeout: 'The time limit of one attempt.',
    superstepTasks: 'Tasks of a superstep, those of graphs inside included.',
    eventsPerRun: 'Events of a run, after which no superstep begins.',
    openCallsPerRun: 'Open calls of a run.',
    openCallsPerTenant: 'Open calls of a tenant in one worker process.',
  },
  memory: { embeddings: 'The model by which it is searched; without it, entries are found by their words only.' },
  retention: {
    runs: 'The age at which ended runs go.',
    checkpoints: 'The age at which all checkpoints of ended runs but the last go.',
    audit: 'The age at which entries of the audit go.',
  },
  waits: { perTenant: 'Requests of one tenant.', total: 'Requests of all tenants.' },
  telemetry: {
    captureContent:
      'Spans of calls hold prompts, answers, arguments and results, except in runs where anything is redacted.',
  },
  streams: { perTenant: 'Streams of one tenant.', total: 'Streams of all tenants.' },
};

type SectionName =
  | 'auth'
  | 'http'
  | 'webhooks'
  | 'defaults'
  | 'ceilings'
  | 'memory'
  | 'retention'
  | 'waits'
  | 'streams'
  | 'telemetry';
