import { describe, expect, test } from 'vitest';
import { createEnvironmentSecrets, resolveSecret } from '../../src/activities/secrets.ts';

describe('createEnvironmentSecrets', () => {
  const secrets = createEnvironmentSecrets({ PAY_KEY: 'k', EMPTY_KEY: '' });

  test('a reference stands for what the environment holds', async () => {
    expect(await resolveSecret({ secret: 'PAY_KEY' }, secrets)).toBe('k');
  });

  test('a text stands for itself, also when it looks like a name', async () => {
    expect(await resolveSecret('PAY_KEY', secrets)).toBe('PAY_KEY');
  });

  test.each(['NO_KEY', 'EMPTY_KEY', 'constructor'])(
    '%s, which the environment does not hold, is named',
    async (secret) => {
      await expect(resolveSecret({ secret }, secrets)).rejects.toThrow(secret);
    },
  );
});
