import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/activities/secrets.ts';
import { MEASURING, growthOf } from '../../support/readers/growth.ts';

const inner = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The encodings in which a server may echo a text. */
const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON in JSON': (text) => inner(inner(text)),
  JSON: inner,
  'ASCII JSON': (text) =>
    inner(text).replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'URL component': encodeURIComponent,
  form: (text) => new URLSearchParams({ text }).toString().slice(5),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'base64 at 0': (text) => Buffer.from(text).toString('base64'),
  'base64 at 1': (text) => Buffer.from(`u${text}`).toString('base64').slice(2),
  'base64 at 2': (text) => Buffer.from(`u:${text}`).toString('base64').slice(3),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64url at 1': (text) => Buffer.from(`u${text}`).toString('base64url').slice(2),
};

const secrets = fc
  .array(fc.oneof(fc.constantFrom('"', '\\', '/', ' ', 'ä', '😀', '+', '%', '\n', "'"), fc.string({ minLength: 1 })), {
    minLength: 4,
    maxLength: 40,
  })
  .map((parts) => parts.join(''))
  .filter((secret) => secret.trim().length >= 8 && !secret.includes('secret'));

const windowsOf = (text: string): readonly string[] =>
  Array.from({ length: Math.max(0, text.length - 7) }, (_, at) => text.slice(at, at + 8)).filter(
    (part) => part.trim() !== '',
  );

describe('createRedactor', () => {
  test.each(Object.entries(ENCODERS))(
    'redaction leaves at most 7 characters of a secret: %s, truncated anywhere',
    (_name, encode) => {
      fc.assert(
        fc.property(secrets, fc.nat(), fc.nat(), (secret, from, length) => {
          const encoded = encode(secret);
          const start = from % encoded.length;
          const echoed = encoded.slice(start, start + 1 + (length % encoded.length));
          const redacted = createRedactor([secret]).redact(`you sent <${echoed}`);
          expect(windowsOf(echoed).filter((part) => redacted.includes(part))).toEqual([]);
        }),
        { numRuns: Number(process.env['RUNS'] ?? 100) },
      );
    },
  );

  test.each([
    ['HTML', '&quot;a&amp;canary-&lt;1', '"a&canary-<1'],
    ['escaped slashes', String.raw`a\/canary\/1`, 'a/canary/1'],
    ['JSON for HTML', String.raw`can\u0026ary\u003c1`, 'can&ary<1'],
    ['lower escapes', 'canary%2f1%3d1', 'canary/1=1'],
  ])('a secret in %s is found and redacted', (_name, text, secret) => {
    expect(createRedactor([secret]).redact(`(${text})`)).toBe('([secret])');
  });

  test('redaction keeps text that all URLs and keys have in common', () => {
    const { redactLong } = createRedactor(['https://hooks.example.com/T0/secret-canary']);
    expect(redactLong('https://shop.test/ and https://hooks.example.com/T0')).toBe('https://shop.test/ and h[secret]');
  });

  test('the time for the redaction of a text and a similar secret grows linearly', MEASURING, () => {
    const growth = growthOf((size) => {
      const { redact } = createRedactor(['canary-'.repeat(size)]);
      const text = 'canary+'.repeat(10 * size);
      return () => redact(text);
    });
    expect(growth).toBeLessThan(1.5);
  });
});
