import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { SecretResolver } from '../activities/secrets.ts';
import { CEILINGS, DEFAULTS } from '../graph/definition/index.ts';
import { DurationSchema, TimeSpanSchema } from '../graph/schema/index.ts';
import { messageOf, parseDocument, toPointer } from '../graph/values/index.ts';
import { SetupError } from '../process/setup-error.ts';
import { TENANT_NAME } from '../process/tenant-name.ts';
import { Auth, Roles } from './auth.ts';
import { Codecs, MessageProcessors, NodeType, TokenCounters } from './code-schemas.ts';
import type { DefinedTool, ToolHolder } from './tool-methods.ts';
import { codeField, refuseLongDurations } from './fields.ts';
import { importModule } from './modules/import-graph.ts';
import { McpServers } from './mcp-servers.ts';
import type { McpServerInput } from './mcp-servers.ts';
import { Memory, Model } from './model.ts';
import type { ModelInput } from './model.ts';
import { Functions } from './define-function.ts';
import type { FunctionInput } from './define-function.ts';
import type { StoreOpener } from './store.ts';
import { Tenants } from './tenants.ts';
import { Tools } from './tool-list.ts';
import type { HttpToolInput } from './tool.ts';

/*
 * The configuration of an installation: `holdfast.config.ts`, or the same as JavaScript or JSON. It is checked at start, and all
 * problems are reported together. Addresses and secrets come from the environment.
 */

const HostAndPort = z.string().regex(/^[^/\s]+:\d+$/, 'must be host:port');

/** Browsers compare origins as texts, so only the form that they send is allowed. */
const Origin = z
  .string()
  .refine(
    isOrigin,
    'must be an origin as browsers send it, such as https://app.example or http://localhost:5173: http or https, no path, no slash at the end, no default port, no *',
  );

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

const Cors = z.strictObject({
  /** The origins whose pages may send requests to the API and read its responses. */
  origins: z.array(Origin).min(1).max(100),
  /** The time for which browsers remember that they may send a kind of request. */
  maxAge: DurationSchema.default('10m'),
});

const DefaultSettings = z.strictObject({
  /** The maximum number of supersteps in a run. */
  maxSteps: z.int().min(1).default(DEFAULTS.maxSteps),
  /** The maximum number of open calls in a run. */
  maxConcurrency: z.int().min(1).default(DEFAULTS.maxConcurrency),
  /** The time limit of a run. */
  deadline: DurationSchema.optional(),
  /** The time in which people must decide an approval. */
  approvalTimeout: TimeSpanSchema.default(DEFAULTS.approvalTimeout),
  /** The time limit of one attempt. */
  timeout: TimeSpanSchema.default(DEFAULTS.timeout),
  /** The time without a heartbeat after which a call is retried. */
  heartbeatTimeout: refuseLongDurations(TimeSpanSchema).default(DEFAULTS.heartbeatTimeout),
  /** The number of Temporal events after which a run continues as new. */
  continueAfter: z.int().min(1).max(10_000).default(DEFAULTS.continueAfter),
  /** The number of attempts, and the delays between them. */
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).default(DEFAULTS.retry.maxAttempts),
      initialInterval: DurationSchema.default(DEFAULTS.retry.initialInterval),
      backoffCoefficient: z.number().min(1).default(DEFAULTS.retry.backoffCoefficient),
      maxInterval: DurationSchema.default(DEFAULTS.retry.maxInterval),
      nonRetryable: z.array(z.string()).default([]),
    })
    .prefault({}),
});

/** The upper limits for all graphs of all publishers. */
const CeilingFields = z.strictObject({
  /** Supersteps of a run. */
  maxSteps: z.int().min(1).default(CEILINGS.maxSteps),
  /** Attempts of a call. */
  attempts: z.int().min(1).default(CEILINGS.attempts),
  /** The time limit of one attempt. */
  timeout: TimeSpanSchema.default(CEILINGS.timeout),
  /** Tasks of a superstep, including those of nested graphs. */
  superstepTasks: z.int().min(1).max(10_000).default(CEILINGS.superstepTasks),
  /** Events of a run, after which no superstep begins. */
  eventsPerRun: z.int().min(1).default(CEILINGS.eventsPerRun),
  /** Open calls of a run. Temporal allows 2,000 open activities per workflow. */
  openCallsPerRun: z.int().min(1).max(1_000).default(CEILINGS.openCallsPerRun),
  /** Open calls of a tenant in one worker process. */
  openCallsPerTenant: z.int().min(1).default(200),
});

/** Definitions to publish at the start; in production for the given tenants. */
const GraphFolder = z
  .union([
    z.string(),
    z.strictObject({
      folder: z.string(),
      tenants: z.array(z.string().regex(TENANT_NAME, 'must be the name of a tenant')).min(1),
    }),
  ])
  .transform((given) => (typeof given === 'string' ? { folder: given, tenants: [] } : given));

const ConfigFields = z.strictObject({
  models: z.record(z.string(), Model).default({}),
  tools: Tools.default([]),
  mcpServers: McpServers.default({}),
  functions: Functions.default({}),
  nodeTypes: z.array(NodeType).default([]),
  messageProcessors: MessageProcessors.default({}),
  tokenCounters: TokenCounters.default({}),
  memory: Memory.prefault({}),
  secrets: codeField<SecretResolver>().optional(),
  codecs: Codecs.default([]),
  store: codeField<StoreOpener>().optional(),
  graphs: GraphFolder.optional(),
  http: z.strictObject({ allow: z.array(HostAndPort).default([]), cors: Cors.optional() }).prefault({}),
  webhooks: z.strictObject({ allow: z.array(HostAndPort).default([]) }).prefault({}),
  auth: Auth.optional(),
  roles: Roles.prefault({}),
  tenants: Tenants.default({}),
  defaults: DefaultSettings.prefault({}),
  ceilings: CeilingFields.prefault({}),
  retention: z
    .strictObject({
      runs: DurationSchema.optional(),
      checkpoints: DurationSchema.optional(),
      audit: DurationSchema.optional(),
    })
    .prefault({}),
  forking: z.boolean().default(true),
  waits: z.strictObject({ perTenant: z.int().min(1).default(100), total: z.int().min(1).default(500) }).prefault({}),
  streams: z
    .strictObject({ perTenant: z.int().min(1).default(500), total: z.int().min(1).default(2_000) })
    .prefault({}),
  telemetry: z.strictObject({ captureContent: z.boolean().default(false) }).prefault({}),
  shutdownGrace: refuseLongDurations(DurationSchema).default('30s'),
} satisfies { readonly [Name in keyof ConfigInput]-?: z.ZodType });

const ConfigSchema = ConfigFields.superRefine(({ models, tokenCounters }, context) => {
  for (const [name, { tokenCounter }] of Object.entries(models)) {
    if (tokenCounter === undefined || Object.hasOwn(tokenCounters, tokenCounter)) continue;
    const message = `there is no "${tokenCounter}" in tokenCounters`;
    context.addIssue({ code: 'custom', path: ['models', name, 'tokenCounter'], message });
  }
});

/** Content of a configuration file. */
export interface ConfigInput {
  /** The models, by the name that nodes use. `default` is the model of nodes that name none. */
  models?: Record<string, ModelInput>;
  /** The tools: objects for HTTP requests, `defineTool({…})`, instances of classes with `@tool`. */
  tools?: (HttpToolInput | DefinedTool | ToolHolder)[];
  /** MCP servers by name; their tools are added to `tools`. */
  mcpServers?: Record<string, McpServerInput>;
  /** The functions, by name: `defineFunction({…})`, or `(args, context) => …`. */
  functions?: Record<string, FunctionInput>;
  /** Custom node types: `defineNodeType({ name, schema, execute })`. */
  nodeTypes?: FieldInputs['nodeTypes'];
  /** Functions that reduce messages for a model, by name. */
  messageProcessors?: FieldInputs['messageProcessors'];
  /** Functions that count tokens, by name. */
  tokenCounters?: FieldInputs['tokenCounters'];
  /** The embedding model for searches in long-term memory. */
  memory?: FieldInputs['memory'];
  /** Resolves secrets; by default from environment variables. */
  secrets?: FieldInputs['secrets'];
  /** Temporal's payload codecs, for example for encryption; the first one is applied first. */
  codecs?: FieldInputs['codecs'];
  /** A store that replaces or wraps the one in PostgreSQL. */
  store?: FieldInputs['store'];
  /** A folder with graphs, or `{ folder, tenants }`. They are published at the start. */
  graphs?: FieldInputs['graphs'];
  /**
   * Private addresses that tools and models may reach: `allow`, as `host:port`. Origins whose pages may use the API:
   * `cors`, as `{ origins, maxAge }`.
   */
  http?: FieldInputs['http'];
  /** Private addresses that webhooks may reach: `allow`, as `host:port`. `http.allow` does not apply to them. */
  webhooks?: FieldInputs['webhooks'];
  /** The issuer of the tokens that the API accepts. Required in production. */
  auth?: FieldInputs['auth'];
  /**
   * The permissions of roles: lists of permissions by the name of the role. A built-in role is replaced, the others
   * stay.
   */
  roles?: FieldInputs['roles'];
  /** Quotas of tenants by name; `*` applies to all. */
  tenants?: FieldInputs['tenants'];
  /** Defaults for fields that graphs omit. */
  defaults?: FieldInputs['defaults'];
  /** Upper limits for all graphs. */
  ceilings?: FieldInputs['ceilings'];
  /** The age after which ended runs are deleted; without it they are kept. */
  retention?: FieldInputs['retention'];
  /** False refuses forks of runs. */
  forking?: FieldInputs['forking'];
  /** The maximum number of requests with `Prefer: wait` that one API process holds open. */
  waits?: FieldInputs['waits'];
  /** The maximum number of event streams that one API process holds open. */
  streams?: FieldInputs['streams'];
  /** `captureContent`: spans of calls contain requests and answers, in runs without redacted channels. */
  telemetry?: FieldInputs['telemetry'];
  /** Time for open work to finish at shutdown. */
  shutdownGrace?: FieldInputs['shutdownGrace'];
}

type FieldInputs = z.input<typeof ConfigSchema>;

/** A checked configuration with its defaults. */
export type Config = z.output<typeof ConfigSchema>;

/** Adds the type of a configuration for editors. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}

/** Adds the type of a node type for `nodeTypes`: its fields, their schema and its code. */
export function defineNodeType(type: z.input<typeof NodeType>): z.input<typeof NodeType> {
  return type;
}

/** An unusable configuration. The message lists every problem with file and JSON pointer. */
class ConfigError extends SetupError {}

/**
 * Loads a configuration file: TypeScript, JavaScript or JSON.
 * @param file a path; by default the first of `CONFIG_FILES` that exists in the working folder
 * @returns the configuration, with the absolute path of the folder of `graphs`
 * @throws ConfigError
 */
export async function loadConfig(file: string | undefined): Promise<Config> {
  const path = findConfigFile(file);
  const { graphs, ...config } = parseConfig(path, await readConfigFile(path));
  return { ...config, ...(graphs && { graphs: { ...graphs, folder: resolve(dirname(path), graphs.folder) } }) };
}

/**
 * Checks a configuration and adds its defaults.
 * @param origin its source, for messages
 * @throws ConfigError
 */
export function parseConfig(origin: string, input: unknown): Config {
  const parsed = ConfigSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `  ${toPointer(issue.path.map(String)) || '/'}: ${issue.message}`,
  );
  throw new ConfigError(`${origin} can't be used:\n${problems.join('\n')}`);
}

function findConfigFile(file: string | undefined): string {
  const candidates = file === undefined ? CONFIG_FILES : [file];
  const found = candidates.map((candidate) => resolve(candidate)).find((path) => existsSync(path));
  if (found === undefined) throw new ConfigError(`No configuration found: looked for ${candidates.join(', ')}`);
  return found;
}

async function readConfigFile(path: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return parseDocument(await readFile(path, 'utf8'));
    return await importModule(path);
  } catch (error) {
    throw new ConfigError(`${path} can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The default names of a configuration file, in order of precedence. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `holdfast.config.${extension}`,
);
