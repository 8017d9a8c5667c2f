import { encodingsOf } from './secret-encodings.ts';

/** Replaces secrets in texts by `[secret]`. */
export interface Redactor {
  /** Also replaces short secrets, where they stand alone. For texts that people read, such as messages. */
  redact(this: void, text: string): string;
  /** Leaves short secrets, which may occur in data by chance. */
  redactLong(this: void, text: string): string;
}

/** In characters. So many consecutive characters of a secret, or of an encoding of it, are replaced wherever they are. */
const WINDOW = 8;

/** In characters. A shorter secret is replaced only where it is a word of its own. */
const MIN_ANYWHERE = 7;

const REDACTED = '[secret]';

/** Texts that many secrets share; they reveal nothing, and results may need them. */
const PUBLIC = ['https://www.', 'http://www.', 'postgresql://', '-----BEGIN RSA PRIVATE KEY-----', ' PRIVATE KEY-----'];

/**
 * Creates a redactor. Parts of a secret are found, too, so a secret that another system has cut leaves at most 7
 * characters. The cost is linear in the text, whatever the secrets are.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const windows = new Set(secrets.flatMap(encodingsOf).flatMap(windowsOf));
  const shorts = [...new Set(secrets.flatMap(withWords))].filter(({ length }) => length < WINDOW);
  const patterns = shorts.toSorted((one, other) => other.length - one.length).map(toPattern);
  const redactLong = (text: string): string => (windows.size === 0 ? text : replaceWindows(text, windows));
  return {
    redactLong,
    redact: (text) => patterns.reduce((kept, pattern) => kept.replaceAll(pattern, REDACTED), redactLong(text)),
  };
}

function windowsOf(text: string): readonly string[] {
  const windows = [];
  for (let at = 0; at + WINDOW <= text.length; at++) windows.push(text.slice(at, at + WINDOW));
  return windows.filter((window) => window.trim() !== '' && !PUBLIC.some((text) => text.includes(window)));
}

function withWords(secret: string): readonly string[] {
  const words = secret.split(/\s+/).filter(({ length }) => length >= MIN_ANYWHERE);
  return [secret, JSON.stringify(secret).slice(1, -1), ...words];
}

/** Replaces each stretch of overlapping windows; spaces before it stay. */
function replaceWindows(text: string, windows: ReadonlySet<string>): string {
  const kept: string[] = [];
  let end = 0;
  for (let at = 0; at + WINDOW <= text.length; at++) {
    const window = text.slice(at, at + WINDOW);
    if (!windows.has(window)) continue;
    if (at >= end) kept.push(text.slice(end, at + WINDOW - window.trimStart().length), REDACTED);
    end = at + WINDOW;
  }
  return end === 0 ? text : kept.join('') + text.slice(end);
}

function toPattern(secret: string): RegExp {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return secret.length >= MIN_ANYWHERE
    ? new RegExp(literal, 'gu')
    : new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'gu');
}
