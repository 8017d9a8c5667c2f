import { describe, expect, test } from 'vitest';
import { createEnvironmentSecrets, useSecrets } from '../../src/activities/secrets.ts';

describe('useSecrets', () => {
  const secrets = useSecrets(createEnvironmentSecrets({ PAY_KEY: 'k', EMPTY_KEY: '', TOKEN: 'Bearer canary-1' }));

  test('a reference stands for what the environment holds', async () => {
    expect(await secrets.resolve({ secret: 'PAY_KEY' })).toBe('k');
  });

  test('a text stands for itself, also when it looks like a name', async () => {
    expect(await secrets.resolve('PAY_KEY')).toBe('PAY_KEY');
  });

  test.each(['NO_KEY', 'EMPTY_KEY', 'constructor'])(
    '%s, which the environment does not hold, is named',
    async (secret) => {
      await expect(secrets.resolve({ secret })).rejects.toThrow(secret);
    },
  );

  test('what was used is taken out of texts, whole and in its parts', async () => {
    await secrets.resolve({ secret: 'TOKEN' });
    expect(secrets.redact('Bearer canary-1 and canary-1, Bearer')).toBe('[secret] and [secret], Bearer');
  });
});
