import { describe, expect, test, vi } from 'vitest';
import { createEnvironmentSecrets, useSecrets } from '../../../src/activities/secrets.ts';
import { MAX_MESSAGE } from '../../../src/graph/values/errors.ts';

describe('useSecrets', () => {
  const secrets = useSecrets(createEnvironmentSecrets({ PAY_KEY: 'k', EMPTY_KEY: '', TOKEN: 'Bearer canary-1' }));

  test('a secret reference is resolved to the value in the environment', async () => {
    expect(await secrets.resolve({ secret: 'PAY_KEY' })).toBe('k');
  });

  test('a secret given as text is used as the value, also when it looks like a name', async () => {
    expect(await secrets.resolve('PAY_KEY')).toBe('PAY_KEY');
  });

  test.each(['key', 'key\n', 'key\r\n\n'])(
    'the secret %j is resolved without line breaks at its end',
    async (found) => {
      const secrets = useSecrets(async () => await Promise.resolve(found));
      expect(await secrets.resolve({ secret: 'PAY_KEY' })).toBe('key');
      expect(secrets.redact('The key is wrong')).not.toContain('key');
    },
  );

  test.each(['NO_KEY', 'EMPTY_KEY', 'constructor'])(
    'the secret %s, which is missing in the environment, is named in the error',
    async (secret) => {
      await expect(secrets.resolve({ secret })).rejects.toThrow(secret);
    },
  );

  test.each([undefined, null, '', '\n', 7])('the value %j from a secret resolver is refused', async (found) => {
    const secrets = useSecrets(async () => await Promise.resolve(JSON.parse(JSON.stringify(found ?? null))));
    await expect(secrets.resolve({ secret: 'PAY_KEY' })).rejects.toThrow('There is no secret PAY_KEY');
  });

  test('a secret that is not resolved in time is named in the error', async () => {
    vi.useFakeTimers();
    try {
      const silent = useSecrets(async () => await new Promise<string>(() => undefined));
      const asked = silent.resolve({ secret: 'PAY_KEY' }).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(10_000);
      const message = 'The secret PAY_KEY was not there after 10 s';
      expect(await asked).toMatchObject({ message, done: 'no', retryable: true });
    } finally {
      vi.useRealTimers();
    }
  });

  test('used secrets are redacted in texts, completely and in parts', async () => {
    await secrets.resolve({ secret: 'TOKEN' });
    expect(secrets.redact('Bearer canary-1 and canary-1, Bearer')).toBe('[secret] and [secret], Bearer');
  });

  test.each([
    ['k3y', 'k3y k3ys "k3y" key=k3y&x _k3y', '[secret] k3ys "[secret]" key=[secret]&x _k3y'],
    ['7', 'PIN 7 of 17, 7.', 'PIN [secret] of 17, [secret].'],
    ['$1.*/', 'it is $1.*/ or $1x*/', 'it is [secret] or $1x*/'],
    ['öl', 'öl in Möl', '[secret] in Möl'],
  ])('the short secret %s is redacted where it is a separate word', async (secret, text, redacted) => {
    const secrets = useSecrets(createEnvironmentSecrets({ SHORT: secret }));
    await secrets.resolve({ secret: 'SHORT' });
    expect(secrets.redact(text)).toBe(redacted);
  });

  test('a secret that begins with another secret is redacted completely', async () => {
    const secrets = useSecrets(createEnvironmentSecrets({ OLD: 'canary-1', NEW: 'canary-1-and-more' }));
    await secrets.resolve({ secret: 'OLD' });
    await secrets.resolve({ secret: 'NEW' });
    expect(secrets.redact('canary-1-and-more, canary-1')).toBe('[secret], [secret]');
  });

  test('an error message is truncated after its secrets are redacted, so that it never ends with a part of one', async () => {
    await secrets.resolve({ secret: 'TOKEN' });
    const message = secrets.redactMessage(`${'x'.repeat(MAX_MESSAGE - 9)}=canary-1`);
    expect(message).toBe(`${'x'.repeat(MAX_MESSAGE - 9)}=[secret]`);
    expect(secrets.redactMessage('canary-1'.repeat(MAX_MESSAGE))).toHaveLength(MAX_MESSAGE);
  });

  test('secrets that change at each use are forgotten in time', async () => {
    let uses = 100;
    const secrets = useSecrets(async () => await Promise.resolve(String(++uses).repeat(3)));
    for (let use = 0; use < 150; use++) await secrets.resolve({ secret: 'TOKEN' });
    expect(secrets.redact('250250250 151151151 150150150')).toBe('[secret] [secret] 150150150');
  });

  test('long secrets are redacted in texts, names and numbers of results, and short ones stay', async () => {
    const secrets = useSecrets(createEnvironmentSecrets({ TOKEN: 'canary-1', PIN: '99887766', SHORT: 'k3y' }));
    for (const secret of ['TOKEN', 'PIN', 'SHORT']) await secrets.resolve({ secret });
    expect(secrets.redactResult({ 'canary-1': [99887766, 7], note: `k3y of ${btoa('x-canary-1')}` })).toEqual({
      '[secret]': ['[secret]', 7],
      note: `k3y of ${btoa('x-canary-1').slice(0, 3)}[secret]`,
    });
  });
});
