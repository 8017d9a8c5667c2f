import type { ToolEntry } from '../../graph/definition/index.ts';
import { isJsonList, isJsonObject, messageOf, toTemplateText } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { splitIntoPieces } from '../../graph/expression/index.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';
import { fromNetwork } from '../calls/classify-failure.ts';
import { traceHeaders } from '../../telemetry/traces/traceparent.ts';
import { followRedirects } from '../../network/follow-redirects.ts';
import type { GuardedRequest } from '../../network/guarded-request.ts';
import { resolveHeaders, useSecrets } from '../secrets.ts';
import type { TextsOrSecrets, SecretResolver } from '../secrets.ts';
import { readHttpAnswer } from './http-answer.ts';
import { toFormFields } from './http-fields.ts';
import type { ListStyle } from './http-fields.ts';
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
  /** How arguments are written in the body of a POST, PUT or PATCH; `json` by default. */
  readonly body?: 'json' | 'form' | undefined;
  /** How lists are written in a query or a form; `repeat` by default. */
  readonly lists?: ListStyle | undefined;
}

interface HttpToolDeps {
  readonly request: GuardedRequest;
  readonly secrets: SecretResolver;
}

export function createHttpTool(settings: HttpToolSettings, deps: HttpToolDeps): HttpTool {
  const { method: _method, url: _url, headers: _headers, body: _body, lists: _lists, ...entry } = settings;
  const fillUrl = compileUrl(settings.url);
  return {
    ...entry,
    async execute(args, { prepare, keepFile, ...context }) {
      const secrets = useSecrets(deps.secrets);
      try {
        const { url, rest } = fillUrl(isJsonObject(args) ? args : {});
        const headers = await prepare(resolveHeaders(settings.headers ?? {}, secrets));
        return secrets.redactResult(
          await sendHttpCall(settings, deps.request, { url, rest, headers, context, keepFile }),
        );
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
          const value = toUrlText(piece.evaluate({ args }));
          const isInPath = queryAt < 0 || at < queryAt;
          if (isInPath && value === '') throw new RangeError('a value in its path is empty');
          return value;
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

/** Escapes a value for a URL; a list becomes its elements with commas between them. */
function toUrlText(value: Json): string {
  const items = isJsonList(value) ? value : [value];
  return items.map((item) => encodeURIComponent(toTemplateText(item))).join(',');
}

/** Dot segments change the path even if they are escaped (WHATWG URL, "double-dot URL path segment"). */
const DOT_SEGMENT = /\/\.{1,2}(?:[/?#]|$)/;

interface HttpCall {
  readonly url: URL;
  /** The arguments that the URL does not use. */
  readonly rest: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly context: ToolContext;
  readonly keepFile: ToolCall['keepFile'];
}

const HAS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

async function sendHttpCall(
  settings: HttpToolSettings,
  request: GuardedRequest,
  { url, rest, headers, context, keepFile }: HttpCall,
): Promise<Json> {
  const { name, method, result, body = 'json', lists = 'repeat' } = settings;
  const written = HAS_BODY.has(method) ? BODIES[body] : null;
  if (!written) for (const [field, value] of toFormFields(rest, lists)) url.searchParams.append(field, value);
  const sent = {
    url,
    method,
    headers: {
      accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
      ...(written && { 'content-type': written.type }),
      ...traceHeaders(),
      ...headers,
      'idempotency-key': context.key,
    },
    body: written && written.write(rest, lists),
    signal: context.signal,
  };
  return await followRedirects(
    request,
    sent,
    async (answer) => await readHttpAnswer(answer, { name, result, storage: { keepFile, signal: context.signal } }),
  );
}

interface BodyFormat {
  /** The media type of the body. */
  readonly type: string;
  readonly write: (args: JsonObject, lists: ListStyle) => string;
}

const BODIES: Readonly<Record<NonNullable<HttpToolSettings['body']>, BodyFormat>> = {
  json: { type: 'application/json', write: (args) => JSON.stringify(args) },
  form: {
    type: 'application/x-www-form-urlencoded',
    write(args, lists) {
      const fields = new URLSearchParams();
      for (const [name, value] of toFormFields(args, lists)) fields.append(name, value);
      return String(fields);
    },
  },
};
