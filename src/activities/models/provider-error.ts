import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/**
 * Finds the error in a provider's response: `{ error }`, the same in a list or in `response`, or the error itself.
 * @param body text or JSON
 * @returns `null` if there is none
 */
export function findProviderError(body: unknown): JsonObject | null {
  const parsed = parse(body);
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(outer)) return null;
  const { error, response } = outer;
  if (isJsonObject(error)) return error;
  if (isJsonObject(response)) return findProviderError(response);
  if (typeof error === 'string') return { message: error };
  return typeof outer['message'] === 'string' ? outer : null;
}

function parse(body: unknown): Json {
  try {
    return toJson(typeof body === 'string' ? JSON.parse(body) : body);
  } catch {
    return null;
  }
}

/** HTTP statuses by error name, for errors within an answer, which have no status of their own. */
const STATUS_BY_NAME: ReadonlyMap<Json | undefined, number> = new Map([
  ['api_error', 500],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['context_length_exceeded', 400],
  ['insufficient_quota', 429],
  ['invalid_prompt', 400],
  ['invalid_request_error', 400],
  ['not_found_error', 404],
  ['overloaded_error', 529],
  ['permission_error', 403],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['request_too_large', 413],
  ['server_error', 500],
  ['timeout_error', 504],
]);

/** The HTTP status that an error within an answer corresponds to. */
export function statusOf({ code, type }: JsonObject): number {
  const number = Number(code ?? NaN);
  if (number >= 400 && number <= 599) return number;
  return STATUS_BY_NAME.get(code) ?? STATUS_BY_NAME.get(type) ?? 500;
}
