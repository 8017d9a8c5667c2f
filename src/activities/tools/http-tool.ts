import type { Response } from 'undici';
import type { ToolEntry } from '../../graph/catalog.ts';
import { toText } from '../../graph/expression/text.ts';
import { isJsonObject, toJson } from '../../graph/json.ts';
import type { Json, JsonObject } from '../../graph/json.ts';
import { parseSegments } from '../../graph/template.ts';
import { CallError } from '../call-error.ts';
import { fromNetwork, fromStatus } from '../failures.ts';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { readBody } from '../http/read-body.ts';
import { resolveSecret } from '../secrets.ts';
import type { SecretReference, SecretResolver } from '../secrets.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool that is an HTTP request, as the configuration describes it. */
export interface HttpToolSettings extends ToolEntry {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** May hold `{{ args.x }}` in its path and query; those arguments are not sent again. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | SecretReference>> | undefined;
}

interface HttpDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
}

export function createHttpTool(settings: HttpToolSettings, deps: HttpDeps): Tool {
  const { name, description, parameters, effect, timeout, retry } = settings;
  const fillUrl = compileUrl(settings.url);
  return {
    name,
    description,
    parameters,
    effect,
    timeout,
    retry,
    async execute(args, context) {
      const { url, rest } = fillUrl(isJsonObject(args) ? args : {});
      const response = await send(settings, deps, { url, rest, context });
      return await readResult(name, response);
    },
  };
}

type UrlTemplate = (args: JsonObject) => { readonly url: URL; readonly rest: JsonObject };

/** Values fill the path and the query, escaped; scheme, host and port stand in the configuration. */
function compileUrl(template: string): UrlTemplate {
  const segments = parseSegments(template, ['args']);
  const used = new Set(segments.flatMap((segment) => (typeof segment === 'string' ? [] : [...segment.references.args])));
  return (args) => {
    const text = segments.map((segment) => (typeof segment === 'string' ? segment : encodeURIComponent(toText(segment.evaluate({ args })))));
    const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !used.has(key)));
    return { url: new URL(text.join('')), rest };
  };
}

interface Sending {
  readonly url: URL;
  readonly rest: JsonObject;
  readonly context: ToolContext;
}

const HAS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

async function send({ method, headers }: HttpToolSettings, { fetch, secrets }: HttpDeps, { url, rest, context }: Sending): Promise<Response> {
  const hasBody = HAS_BODY.has(method);
  if (!hasBody) for (const [key, value] of Object.entries(rest)) url.searchParams.append(key, toText(value));
  const init = {
    method,
    headers: {
      accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(await resolveHeaders(headers ?? {}, secrets)),
      'idempotency-key': context.key,
    },
    body: hasBody ? JSON.stringify(rest) : null,
    signal: context.signal,
  };
  return await fetch(url, init).catch((error: unknown) => {
    throw error instanceof Error && error.cause instanceof CallError ? error.cause : fromNetwork('TOOL_FAILED', error);
  });
}

async function resolveHeaders(headers: NonNullable<HttpToolSettings['headers']>, secrets: SecretResolver): Promise<Record<string, string>> {
  const resolved = Object.entries(headers).map(async ([name, value]) => [name.toLowerCase(), await resolveSecret(value, secrets)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

async function readResult(name: string, response: Response): Promise<Json> {
  const text = await readBody(response).catch((error: unknown) => {
    throw fromNetwork('TOOL_FAILED', error);
  });
  if (!response.ok) {
    const { status, headers } = response;
    throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message: `${name} answered ${status}: ${text.slice(0, MAX_ERROR_BODY)}` });
  }
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  if (!isJson) return text === '' ? null : { text };
  return text === '' ? null : parseAnswer(name, text);
}

/** So much of an error's body helps to understand it. */
const MAX_ERROR_BODY = 500;

function parseAnswer(name: string, text: string): Json {
  try {
    return toJson(JSON.parse(text));
  } catch (error) {
    throw new CallError('TOOL_FAILED', `${name} answered what is no JSON, though it says so`, { retryable: false, done: 'perhaps', cause: error });
  }
}
