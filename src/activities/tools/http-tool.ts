import type { ToolEntry } from '../../graph/definition/index.ts';
import { isJsonObject, messageOf, toJson, toText } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { splitIntoPieces } from '../../graph/expression/index.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';
import { fromNetwork, fromStatus } from '../calls/classify-failure.ts';
import { traceHeaders } from '../../telemetry/traces/traceparent.ts';
import { followRedirects } from '../../network/follow-redirects.ts';
import type { GuardedRequest, HttpResponse } from '../../network/guarded-request.ts';
import { resolveHeaders, useSecrets } from '../secrets.ts';
import type { TextsOrSecrets, SecretResolver } from '../secrets.ts';
import type { Tool, ToolCall, ToolContext } from './tool.ts';

export interface HttpTool extends Tool {
  readonly execute: (args: Json, call: ToolCall) => Promise<Json>;
}

/** A configured tool that is an HTTP request. */
export interface HttpToolSettings extends ToolEntry {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** May contain `{{ args.x }}` in its path and query; arguments used there are not sent again. */
  readonly url: string;
  readonly headers?: TextsOrSecrets | undefined;
}

interface HttpToolDeps {
  readonly request: GuardedRequest;
  readonly secrets: SecretResolver;
}

export function createHttpTool(settings: HttpToolSettings, deps: HttpToolDeps): HttpTool {
  const { method: _method, url: _url, headers: _headers, ...entry } = settings;
  const fillUrl = compileUrl(settings.url);
  return {
    ...entry,
    async execute(args, { prepare, ...context }) {
      const secrets = useSecrets(deps.secrets);
      try {
        const { url, rest } = fillUrl(isJsonObject(args) ? args : {});
        const headers = await prepare(resolveHeaders(settings.headers ?? {}, secrets));
        return secrets.redactResult(await send(settings, deps.request, { url, rest, headers, context }));
      } catch (thrown) {
        const error = fromNetwork('TOOL_FAILED', thrown);
        throw error.withMessage(secrets.redactMessage(error.message));
      }
    },
  };
}

type UrlTemplate = (args: JsonObject) => { readonly url: URL; readonly rest: JsonObject };

/**
 * Compiles a URL whose path and query contain templates; their values are escaped. An empty value in the path is
 * refused: `/users/{{ args.id }}` would become the address of all users.
 */
function compileUrl(template: string): UrlTemplate {
  const pieces = splitIntoPieces(template, ['args']);
  const used = new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [...piece.references.args])));
  const queryAt = pieces.findIndex((piece) => typeof piece === 'string' && /[?#]/.test(piece));
  return (args) => {
    try {
      const text = pieces
        .map((piece, at) => {
          if (typeof piece === 'string') return piece;
          const value = toText(piece.evaluate({ args }));
          const isInPath = queryAt < 0 || at < queryAt;
          if (isInPath && value === '') throw new RangeError('a value in its path is empty');
          return encodeURIComponent(value);
        })
        .join('');
      if (DOT_SEGMENT.test(text)) throw new RangeError('"." and ".." lead to another path');
      const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !used.has(key)));
      return { url: new URL(text), rest };
    } catch (error) {
      const message = `The arguments do not fit into the URL ${template}: ${messageOf(error)}`;
      throw new CallError('INVALID_TOOL_ARGUMENTS', message, { ...REFUSED, cause: error });
    }
  };
}

/** Dot segments change the path even if they are escaped (WHATWG URL, "double-dot URL path segment"). */
const DOT_SEGMENT = /\/\.{1,2}(?:[/?#]|$)/;

interface HttpCall {
  readonly url: URL;
  readonly rest: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly context: ToolContext;
}

const HAS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

async function send(
  { name, method }: HttpToolSettings,
  guardedRequest: GuardedRequest,
  { url, rest, headers, context }: HttpCall,
): Promise<Json> {
  const hasBody = HAS_BODY.has(method);
  if (!hasBody) for (const [key, value] of Object.entries(rest)) url.searchParams.append(key, toText(value));
  const request = {
    url,
    method,
    headers: {
      accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...traceHeaders(),
      ...headers,
      'idempotency-key': context.key,
    },
    body: hasBody ? JSON.stringify(rest) : null,
    signal: context.signal,
  };
  return await followRedirects(guardedRequest, request, (answer) => readResult(name, answer));
}

async function readResult(name: string, answer: HttpResponse): Promise<Json> {
  const { status, headers } = answer;
  if (status < 200 || status > 299) {
    // The status of a failure is enough, so its body may be unreadable.
    const message = `${name} answered ${status}: ${await answer.readText().catch(() => '')}`;
    throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message });
  }
  const text = await answer.readText();
  if (text === '') return null;
  return JSON_TYPE.test(headers.get('content-type') ?? '') ? parseJsonAnswer(name, text) : { text };
}

const JSON_TYPE = /[/+]json\s*(?:;|$)/i;

function parseJsonAnswer(name: string, text: string): Json {
  try {
    return toJson(JSON.parse(text));
  } catch (error) {
    throw new CallError('TOOL_FAILED', `${name} answered with a JSON content type, but the body is no JSON`, {
      retryable: false,
      done: 'perhaps',
      cause: error,
    });
  }
}
