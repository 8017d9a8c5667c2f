import { isJsonList, isJsonObject, MAX_MESSAGE, messageOf, own, truncate } from '../graph/values/index.ts';
import type { Json, RunErrorCode } from '../graph/values/index.ts';
import { CallError } from './calls/call-error.ts';

/** A secret is named everywhere and resolved only inside the activity that uses it. */
export interface SecretReference {
  readonly secret: string;
}

/** Gives a secret's value. @throws when there is none of that name */
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
   * A text as it is, or the secret that it stands for.
   * @throws CallError where it can't be had: nothing has been called, and it may be there soon
   */
  resolve(value: string | SecretReference): Promise<string>;
  /** Takes the secrets out of a text that others will read. */
  redact(text: string): string;
  /** What others are told of a failure: its message without the secrets, cut only then, as part of one is not recognized. */
  redactMessage(message: string): string;
  /** Takes the longer secrets out of all texts of a result: a short one may stand there by chance. */
  redactResult(result: Json): Json;
}

/** Shorter parts of a secret, such as the word `Bearer`, give nothing away. */
const MIN_PART = 7;

/** Shorter ones stay in results, which nodes work with. */
const MIN_IN_RESULTS = 8;

/** So many values of a secret that changes are taken out of texts: the latest. */
const MAX_KEPT = 100;

/** @param code of the failure where a secret can't be had */
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

/** Shorter than the time-outs of most calls: a vault that is silent is told from a call that is. */
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

/** A secret may begin with another one, whose place taken would leave the rest of it. */
function longestFirst(secrets: Iterable<string>): readonly string[] {
  return [...secrets].toSorted((one, other) => other.length - one.length);
}

/** A short secret is taken out where it stands alone: within words it is there by chance. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length >= MIN_PART) return text.replaceAll(secret, REDACTED);
  const standalone = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(secret)}(?![\\p{L}\\p{N}_])`, 'gu');
  return text.replaceAll(standalone, REDACTED);
}

const REDACTED = '[secret]';

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Names of members are texts, too. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isJsonList(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]));
}

/** Texts by name, such as headers or an environment, some of which are secrets. */
export type TextsOrSecrets = Readonly<Record<string, string | SecretReference>>;

/** @throws CallError where a secret can't be had */
export async function resolveTexts(values: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const resolved = Object.entries(values).map(async ([name, value]) => [name, await secrets.resolve(value)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

/** As `resolveTexts`, of names that mean the same in any case. */
export async function resolveHeaders(headers: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const lowercased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return await resolveTexts(Object.fromEntries(lowercased), secrets);
}
