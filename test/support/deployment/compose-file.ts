import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { readFile } from '../readers/documentation.ts';

const Environment = z.record(z.string(), z.string());

const Service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  profiles: z.array(z.string()).default([]),
  command: z.array(z.string()).optional(),
  environment: Environment.default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  ports: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});

const ComposeFile = z.looseObject({ services: z.record(z.string(), Service) });

export type ComposeService = z.output<typeof Service>;

/** The Compose file with its anchors resolved. */
export function readComposeFile(): unknown {
  return parse(readFile('docker-compose.yml'), { merge: true });
}

/** Reads a file of variables like Compose does; Node uses the same format. */
export function readEnvFile(path: string): Readonly<Record<string, string>> {
  return Environment.parse(parseEnv(readFile(path)));
}

/**
 * Reads the services as Compose would start them.
 * @param variables the content of the file for `--env-file`
 * @throws Error for a required variable that is not set
 */
export function readServices(variables: Readonly<Record<string, string>>): Readonly<Record<string, ComposeService>> {
  return ComposeFile.parse(interpolated(readComposeFile(), variables)).services;
}

function interpolated(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolated(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolated(item, variables)]));
}

/** The part of https://docs.docker.com/reference/compose-file/interpolation/ that this file uses. */
const VARIABLE = /\$\$|\$\{(?<name>\w+)(?::(?<sign>[-?])(?<text>[^}]*))?\}/;
const VARIABLES = new RegExp(VARIABLE.source, 'g');

function interpolate(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replaceAll(VARIABLES, (found) => {
    const { name, sign, text = '' } = VARIABLE.exec(found)?.groups ?? {};
    if (name === undefined) return '$';
    const value = variables[name] ?? '';
    if (value !== '' || sign === undefined) return value;
    if (sign === '?') throw new Error(`${name}: ${text}`);
    return text;
  });
}
