import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isJsonList, isJsonObject, MAX_MESSAGE, messageOf, own, truncate } from '../graph/values/index.ts';
import type { Json, RunErrorCode } from '../graph/values/index.ts';
import { CallError, REFUSED } from './calls/call-error.ts';
import { isProgrammingError } from './calls/classify-failure.ts';
import { userStackOf } from './calls/user-stack.ts';

/** A reference to a secret. Only the activity that uses the secret resolves it. */
export interface SecretReference {
  readonly secret: string;
}

/** Returns a secret's value. @throws if there is no secret of that name */
export type SecretResolver = (name: string) => Promise<string>;

export function createEnvironmentSecrets(environment: Readonly<Record<string, string | undefined>>): SecretResolver {
  return async (name) => {
    const value = own(environment, name);
    if (value === undefined || value === '') throw new MissingSecretError(`The environment holds no secret ${name}`);
    return value;
  };
}

/** A secret of this name does not exist. A retry would be useless. */
class MissingSecretError extends Error {}

/** The secrets that one call uses. */
export interface UsedSecrets {
  /**
   * Returns a text unchanged, or the value of a secret.
   * @throws CallError if the secret is unavailable; the callee was not called then. It is retryable, unless the secret
   * does not exist, or the resolver's code is wrong
   */
  resolve(value: string | SecretReference): Promise<string>;
  /** Replaces all used secrets in a text, encoded ones and parts of 8 characters or more included. */
  redact(text: string): string;
  /** Replaces all used secrets in an error message, then shortens it. */
  redactMessage(message: string): string;
  /** Replaces the longer secrets in all texts of a result; a short one may occur there by chance. */
  redactResult(result: Json): Json;
}

/** The number of past values that are remembered for a changing secret; the latest are kept. */
const MAX_KEPT = 100;

/** In characters, for all remembered values of a secret; the latest value is kept whatever its length. */
const MAX_KEPT_LENGTH = 10_000;

/** In characters. Longer messages are truncated, so the rest need not be searched. */
const MAX_SEARCHED_CHARACTERS = 100 * MAX_MESSAGE;

/** @param code error code if a secret is not available */
export function useSecrets(secrets: SecretResolver, code: RunErrorCode = 'TOOL_FAILED'): UsedSecrets {
  const used = new Map<string, readonly string[]>();
  let redactor: Redactor | null = null;
  const currentRedactor = (): Redactor => (redactor ??= createRedactor([...used.values()].flat()));
  const redact = (text: string): string => currentRedactor().redact(text);
  return {
    async resolve(value) {
      if (typeof value === 'string') return value;
      const secret = await fetchSecret(secrets, value.secret).catch((error: unknown) => {
        const retryable = !(error instanceof MissingSecretError || isProgrammingError(error));
        throw new CallError(code, messageOf(error), {
          retryable,
          done: 'no',
          thrownAt: userStackOf(error),
          cause: error,
        });
      });
      const before = used.get(value.secret) ?? [];
      if (before.at(-1) === secret) return secret;
      used.set(value.secret, latestSecrets([...before.filter((other) => other !== secret), secret]));
      redactor = null;
      return secret;
    },
    redact,
    redactMessage: (message) => truncate(redact(message.slice(0, MAX_SEARCHED_CHARACTERS)), MAX_MESSAGE),
    redactResult(result) {
      const { redactLong } = currentRedactor();
      return mapTexts(result, redactLong);
    },
  };
}

function latestSecrets(values: readonly string[]): readonly string[] {
  let length = 0;
  const latest = values.slice(-MAX_KEPT);
  const first = latest.findLastIndex((value) => (length += value.length) > MAX_KEPT_LENGTH);
  return latest.slice(Math.min(first + 1, latest.length - 1));
}

/** Shorter than most call time-outs, so that an unresponsive vault is not mistaken for an unresponsive callee. */
const SECRET_TIMEOUT_MS = 10_000;

async function fetchSecret(secrets: SecretResolver, name: string): Promise<string> {
  const secret: unknown = await resolveInTime(name, secrets(name));
  const value = typeof secret === 'string' ? secret.replace(LINE_BREAKS_AT_END, '') : '';
  if (value === '') throw new MissingSecretError(`There is no secret ${name}`);
  return value;
}

/** Editors and `echo` add a line break at the end of a secret's file. */
const LINE_BREAKS_AT_END = /(?<![\r\n])[\r\n]+$/;

async function resolveInTime<T>(name: string, secret: Promise<T>): Promise<T> {
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

/** Maps all texts of a value, member names included. A number whose text form changes becomes that text. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const text = change(String(value));
    return text === String(value) ? value : text;
  }
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

/**
 * Like `resolveTexts`, with names in lower case: header names are case-insensitive.
 * @throws CallError also for a header that no request can have
 */
export async function resolveHeaders(headers: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const lowercased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const resolved = await resolveTexts(Object.fromEntries(lowercased), secrets);
  for (const [name, value] of Object.entries(resolved)) requireSendable(name, value);
  return resolved;
}

/** Checks a header as HTTP clients do, whose errors may quote its value. */
function requireSendable(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    const message = `The header "${name}" can't be sent: its name or value has a line break, or another character that no header may have`;
    throw new CallError('TOOL_FAILED', message, REFUSED);
  }
}

/** Replaces secrets in texts by `[secret]`. */
export interface Redactor {
  /** Also replaces short secrets that are separate words. For texts that people read, such as messages. */
  redact(this: void, text: string): string;
  /** Leaves short secrets, which may occur in data by chance. */
  redactLong(this: void, text: string): string;
}

/** In characters. Any part of a secret, or of an encoding of it, with this length is replaced. */
const MIN_SECRET_PART = 8;

/** In characters. A shorter secret is replaced only where it is a separate word. */
const MIN_ANYWHERE = 7;

const SECRET_REPLACEMENT = '[secret]';

/** Texts that many secrets share; they reveal nothing, and results may need them. */
const PUBLIC = ['https://www.', 'http://www.', 'postgresql://', '-----BEGIN RSA PRIVATE KEY-----', ' PRIVATE KEY-----'];

/**
 * Creates a redactor. Parts of a secret are found, too, so a secret that another system has truncated leaves at most 7
 * characters. The cost is linear in the text, whatever the secrets are.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const windows = new Set(secrets.flatMap(encodingsOfSecret).flatMap(textWindows));
  const shorts = [...new Set(secrets.flatMap(withSingleWords))].filter(({ length }) => length < MIN_SECRET_PART);
  const patterns = shorts.toSorted((one, other) => other.length - one.length).map(toSecretPattern);
  const redactLong = (text: string): string => (windows.size === 0 ? text : replaceWindows(text, windows));
  return {
    redactLong,
    redact: (text) =>
      patterns.reduce((kept, pattern) => kept.replaceAll(pattern, SECRET_REPLACEMENT), redactLong(text)),
  };
}

function textWindows(text: string): readonly string[] {
  const windows = [];
  for (let at = 0; at + MIN_SECRET_PART <= text.length; at++) windows.push(text.slice(at, at + MIN_SECRET_PART));
  return windows.filter((window) => window.trim() !== '' && !PUBLIC.some((text) => text.includes(window)));
}

function withSingleWords(secret: string): readonly string[] {
  const words = secret.split(/\s+/).filter(({ length }) => length >= MIN_ANYWHERE);
  return [secret, JSON.stringify(secret).slice(1, -1), ...words];
}

/** Replaces each stretch of overlapping windows; spaces before it stay. */
function replaceWindows(text: string, windows: ReadonlySet<string>): string {
  const kept: string[] = [];
  let end = 0;
  for (let at = 0; at + MIN_SECRET_PART <= text.length; at++) {
    const window = text.slice(at, at + MIN_SECRET_PART);
    if (!windows.has(window)) continue;
    if (at >= end) kept.push(text.slice(end, at + MIN_SECRET_PART - window.trimStart().length), SECRET_REPLACEMENT);
    end = at + MIN_SECRET_PART;
  }
  return end === 0 ? text : kept.join('') + text.slice(end);
}

function toSecretPattern(secret: string): RegExp {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return secret.length >= MIN_ANYWHERE
    ? new RegExp(literal, 'gu')
    : new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'gu');
}

/**
 * Lists the forms in which another system may return a secret: unchanged, escaped once or twice for JSON, escaped for
 * HTML or URLs, and its bytes in hexadecimal and Base64.
 */
function encodingsOfSecret(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const urls = urlEncodings(text);
  return [
    ...new Set([
      secret,
      ...jsonEncodings(text).flatMap((escaped) => [escaped, escapeJson(escaped)]),
      escapeHtml(text),
      ...urls,
      ...urls.map(withLowerEscapes),
      hex,
      hex.toUpperCase(),
      ...base64Encodings(bytes),
    ]),
  ];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The JSON forms of common encoders: some escape non-ASCII characters, slashes, or special characters of HTML. */
function jsonEncodings(text: string): readonly string[] {
  const plain = escapeJson(text);
  const ascii = plain.replaceAll(/[^\0-~]/g, escapeUnit);
  const upper = plain.replaceAll(/[^\0-~]/g, (unit) => String.raw`\u${escapeUnit(unit).slice(2).toUpperCase()}`);
  const forHtml = (json: string): string => json.replaceAll(/[<>&']/g, escapeUnit);
  const slashes = (json: string): string => json.replaceAll('/', String.raw`\/`);
  return [plain, ascii, upper, forHtml(plain), forHtml(ascii), slashes(plain), slashes(ascii)];
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character);
}

function urlEncodings(text: string): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, escapeByte);
  const form = strict.replaceAll('~', '%7E').replaceAll('%2A', '*').replaceAll('%20', '+');
  return [component, strict, form, encodeURI(text), encodeURIComponent(component)];
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function withLowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}

/**
 * Base64 of the bytes, alone and after one or two other bytes, which shift all characters. Characters that depend on
 * the preceding bytes are omitted.
 */
function base64Encodings(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 4) / 3));
    return [shifted, shifted.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
