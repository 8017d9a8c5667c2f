import { isJsonList, isJsonObject, MAX_MESSAGE, messageOf, own, truncate } from '../graph/values/index.ts';
import type { Json, RunErrorCode } from '../graph/values/index.ts';
import { CallError } from './calls/call-error.ts';

/** A reference to a secret. Only the activity that uses the secret resolves it. */
export interface SecretReference {
  readonly secret: string;
}

/** Returns a secret's value. @throws if there is no secret of that name */
export type SecretResolver = (name: string) => Promise<string>;

export function createEnvironmentSecrets(environment: Readonly<Record<string, string | undefined>>): SecretResolver {
  return async (name) => {
    const value = own(environment, name);
    if (value === undefined || value === '') throw new Error(`The environment holds no secret ${name}`);
    return value;
  };
}

/** The secrets that one call uses. */
export interface UsedSecrets {
  /**
   * Returns a text as it is, or the value of a secret.
   * @throws CallError that is retryable if the secret is not available; nothing has been called then
   */
  resolve(value: string | SecretReference): Promise<string>;
  /** Replaces all used secrets in a text. */
  redact(text: string): string;
  /** Replaces all used secrets in an error message, then shortens it: a secret cut in two would not be found. */
  redactMessage(message: string): string;
  /** Replaces the longer secrets in all texts of a result; a short one may occur there by chance. */
  redactResult(result: Json): Json;
}

/** In characters. Shorter parts of a secret, such as the word `Bearer`, reveal nothing. */
const MIN_PART = 7;

/** In characters. Shorter secrets stay in results, because nodes work with them. */
const MIN_IN_RESULTS = 8;

/** Number of values that are remembered for a secret that changes; the latest are kept. */
const MAX_KEPT = 100;

/** @param code error code if a secret is not available */
export function useSecrets(secrets: SecretResolver, code: RunErrorCode = 'TOOL_FAILED'): UsedSecrets {
  const used = new Map<string, readonly string[]>();
  const allValues = (): readonly string[] => longestFirst([...used.values()].flat().flatMap(withParts));
  const redact = (text: string): string => allValues().reduce(withoutSecret, text);
  return {
    async resolve(value) {
      if (typeof value === 'string') return value;
      const secret = await fetchSecret(secrets, value.secret).catch((error: unknown) => {
        throw new CallError(code, messageOf(error), { retryable: true, done: 'no', cause: error });
      });
      const before = used.get(value.secret)?.filter((other) => other !== secret) ?? [];
      used.set(value.secret, [...before, secret].slice(-MAX_KEPT));
      return secret;
    },
    redact,
    redactMessage: (message) => truncate(redact(message), MAX_MESSAGE),
    redactResult(result) {
      const long = allValues().filter((secret) => secret.length >= MIN_IN_RESULTS);
      return long.length === 0 ? result : mapTexts(result, (text) => long.reduce(withoutSecret, text));
    },
  };
}

/** Shorter than most call time-outs, so that a silent vault is not mistaken for a silent call. */
const SECRET_TIMEOUT_MS = 10_000;

async function fetchSecret(secrets: SecretResolver, name: string): Promise<string> {
  const secret: unknown = await withTimeout(name, secrets(name));
  if (typeof secret !== 'string' || secret === '') throw new Error(`There is no secret ${name}`);
  return secret;
}

async function withTimeout<T>(name: string, secret: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `The secret ${name} was not there after ${SECRET_TIMEOUT_MS / 1_000} s`;
    timer = setTimeout(() => reject(new Error(message)), SECRET_TIMEOUT_MS);
  });
  try {
    return await Promise.race([secret, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function withParts(secret: string): readonly string[] {
  return [secret, ...secret.split(/\s+/).filter((part) => part.length >= MIN_PART)];
}

/** Sorts longer secrets first: replacing a prefix of a secret would leave the rest of it. */
function longestFirst(secrets: Iterable<string>): readonly string[] {
  return [...secrets].toSorted((one, other) => other.length - one.length);
}

/** Replaces a short secret only where it is a word of its own: inside other words it occurs by chance. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length >= MIN_PART) return text.replaceAll(secret, REDACTED);
  const standalone = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(secret)}(?![\\p{L}\\p{N}_])`, 'gu');
  return text.replaceAll(standalone, REDACTED);
}

const REDACTED = '[secret]';

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Maps all texts of a value, member names included. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isJsonList(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]));
}

/** Texts by name, such as headers or environment variables; some may be secrets. */
export type TextsOrSecrets = Readonly<Record<string, string | SecretReference>>;

/** @throws CallError if a secret is not available */
export async function resolveTexts(values: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const resolved = Object.entries(values).map(async ([name, value]) => [name, await secrets.resolve(value)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

/** Like `resolveTexts`, with names in lower case: header names are case-insensitive. */
export async function resolveHeaders(headers: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const lowercased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return await resolveTexts(Object.fromEntries(lowercased), secrets);
}
