import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { RegisteredFunction } from './activities/call-function.ts';
import type { RegisteredNodeType } from './activities/call-node.ts';
import type { Tool } from './activities/tools/tool.ts';
import { DEFAULTS } from './graph/catalog.ts';
import { parseDuration } from './graph/duration.ts';
import { toPointer } from './graph/json.ts';
import { parseSegments } from './graph/template.ts';
import { findSchemaProblems } from './graph/json-schema.ts';
import type { JsonSchema } from './graph/definition.ts';

/*
 * What an installation offers: `holdfast.config.ts`, or the same as JSON. It is checked at start, and every problem is
 * named at once. Addresses and secrets come from the environment.
 */

const Duration = z.string().refine((text) => parseDuration(text) !== null, 'must be a duration such as "30s"');
const Name = z.string().regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'must be 1 to 64 letters, digits or _ . : -');
const Secret = z.strictObject({ secret: z.string().min(1) });
const Schema = z.custom<JsonSchema>((value) => findSchemaProblems(value).length === 0, 'must be a JSON Schema');
const HostAndPort = z.string().regex(/^[^/\s]+:\d+$/, 'must be host:port');

const Retry = z.strictObject({
  maxAttempts: z.int().min(1).optional(),
  initialInterval: Duration.optional(),
  backoffCoefficient: z.number().min(1).optional(),
  maxInterval: Duration.optional(),
  nonRetryable: z.array(z.string()).optional(),
});

const Model = z
  .strictObject({
    provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible']),
    model: z.string().min(1),
    baseUrl: z.url().optional(),
    apiKey: z.union([z.string(), Secret]).optional(),
    price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
    timeout: Duration.optional(),
    retry: Retry.optional(),
  })
  .refine(({ provider, baseUrl }) => provider !== 'openai-compatible' || baseUrl !== undefined, {
    path: ['baseUrl'],
    error: 'must say where the provider is: "openai-compatible" has no address of its own',
  });

const toolFields = {
  name: Name,
  description: z.string(),
  parameters: Schema,
  effect: z.enum(['idempotent', 'keyed', 'unsafe']).default('unsafe'),
  timeout: Duration.optional(),
  retry: Retry.optional(),
};

const HttpTool = z.strictObject({
  ...toolFields,
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  url: z
    .string()
    .regex(
      /^https?:\/\/[^/{}]+(\/|$)/,
      'must begin with http:// or https://, a host and a path, without {{ }} before the path',
    )
    .refine(isTemplate, 'must be a text with {{ }} around expressions over args'),
  headers: z.record(z.string(), z.union([z.string(), Secret])).optional(),
});

const CodeTool = z.strictObject({
  ...toolFields,
  execute: z.custom<Tool['execute']>(isFunction, 'must be a function'),
});
/** A tool is read as what it looks like, so that an error speaks of that. */
const ToolSchema = z.unknown().transform((value, context) => {
  const isCode = typeof value === 'object' && value !== null && 'execute' in value;
  const parsed = isCode ? CodeTool.safeParse(value) : HttpTool.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) context.addIssue({ code: 'custom', message, path: [...path] });
  return z.NEVER;
});

/** A function alone may be called again after a crash; one that may not says so. */
const RegisteredFunctionSchema = z.union([
  z
    .custom<RegisteredFunction['execute']>(isFunction, 'must be a function')
    .transform((execute) => ({ execute, effect: 'idempotent' as const, timeout: undefined, retry: undefined })),
  z.strictObject({
    execute: z.custom<RegisteredFunction['execute']>(isFunction, 'must be a function'),
    effect: z.enum(['idempotent', 'keyed', 'unsafe']).default('idempotent'),
    timeout: Duration.optional(),
    retry: Retry.optional(),
  }),
]);

const NodeTypeSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'must be a name such as "threshold"'),
  schema: Schema.default({ type: 'object' }),
  effect: z.enum(['idempotent', 'keyed', 'unsafe']).default('idempotent'),
  timeout: Duration.optional(),
  retry: Retry.optional(),
  execute: z.custom<RegisteredNodeType['execute']>(isFunction, 'must be a function'),
});

const Auth = z.strictObject({
  issuer: z.string().min(1),
  audience: z.string().min(1),
  jwksUrl: z.url(),
  claims: z.strictObject({ tenant: z.string().default('tenant'), roles: z.string().default('roles') }).prefault({}),
});

const Defaults = z.strictObject({
  maxSteps: z.int().min(1).default(DEFAULTS.maxSteps),
  deadline: Duration.optional(),
  approvalTimeout: Duration.default(DEFAULTS.approvalTimeout),
  timeout: Duration.default(DEFAULTS.timeout),
  heartbeatTimeout: Duration.default(DEFAULTS.heartbeatTimeout),
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).default(DEFAULTS.retry.maxAttempts),
      initialInterval: Duration.default(DEFAULTS.retry.initialInterval),
      backoffCoefficient: z.number().min(1).default(DEFAULTS.retry.backoffCoefficient),
      maxInterval: Duration.default(DEFAULTS.retry.maxInterval),
      nonRetryable: z.array(z.string()).default([]),
    })
    .prefault({}),
});

const ConfigSchema = z.strictObject({
  models: z.record(z.string(), Model).default({}),
  tools: z.array(ToolSchema).default([]).superRefine(refuseNamesakes),
  functions: z.record(z.string(), RegisteredFunctionSchema).default({}),
  nodeTypes: z.array(NodeTypeSchema).default([]),
  graphs: z.string().optional(),
  http: z.strictObject({ allow: z.array(HostAndPort).default([]) }).prefault({}),
  auth: Auth.optional(),
  defaults: Defaults.prefault({}),
  retention: z.strictObject({ runs: Duration.optional(), checkpoints: Duration.optional() }).prefault({}),
  forking: z.boolean().default(true),
});

function refuseNamesakes(tools: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [at, { name }] of tools.entries()) {
    if (tools.findIndex((tool) => tool.name === name) === at) continue;
    context.addIssue({ code: 'custom', path: [at, 'name'], message: `another tool is named "${name}" already` });
  }
}

/** What a configuration file says. */
export type ConfigInput = Omit<z.input<typeof ConfigSchema>, 'tools'> & {
  tools?: (z.input<typeof HttpTool> | z.input<typeof CodeTool>)[];
};
/** A checked configuration, defaults filled in. */
export type Config = z.output<typeof ConfigSchema>;
export type AuthConfig = z.output<typeof Auth>;

function isTemplate(text: string): boolean {
  try {
    parseSegments(text, ['args']);
    return true;
  } catch {
    return false;
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Marks an object as a configuration, for the editor's sake. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}

/** A type of node made by code, for `nodeTypes`: its own fields, their schema, and what it does. */
export function defineNodeType(type: z.input<typeof NodeTypeSchema>): z.input<typeof NodeTypeSchema> {
  return type;
}

/** A configuration that can't be used. The message names every problem, by file and place. */
class ConfigError extends Error {}

/**
 * Loads a configuration file, TypeScript or JSON.
 * @param file a path; without one `holdfast.config.ts` or `holdfast.config.json` in the working folder
 * @returns the configuration, with `graphs` as an absolute path
 * @throws ConfigError
 */
export async function loadConfig(file: string | undefined): Promise<Config> {
  const path = findFile(file);
  const { graphs, ...config } = parseConfig(path, await readConfigFile(path));
  return { ...config, ...(graphs !== undefined && { graphs: resolve(dirname(path), graphs) }) };
}

/**
 * Checks a configuration and fills its defaults in.
 * @param origin where it comes from, for messages
 * @throws ConfigError
 */
export function parseConfig(origin: string, given: unknown): Config {
  const parsed = ConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `  ${toPointer(issue.path.map(String)) || '/'}: ${issue.message}`,
  );
  throw new ConfigError(`${origin} can't be used:\n${problems.join('\n')}`);
}

function findFile(file: string | undefined): string {
  const candidates = file === undefined ? ['holdfast.config.ts', 'holdfast.config.json'] : [file];
  const found = candidates.map((candidate) => resolve(candidate)).find((path) => existsSync(path));
  if (found === undefined) throw new ConfigError(`No configuration found: looked for ${candidates.join(' and ')}`);
  return found;
}

async function readConfigFile(path: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8')) as unknown;
    const module: unknown = await import(pathToFileURL(path).href);
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
  } catch (error) {
    throw new ConfigError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
