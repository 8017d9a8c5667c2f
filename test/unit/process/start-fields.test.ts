import { expect, test } from 'vitest';
import { startFields } from '../../../src/process/start-fields.ts';

const target = { options: { address: 'temporal:7233' }, namespace: 'agents' };

test('the first log line of a process names its servers, without passwords', () => {
  const databaseUrl = 'postgres://ann:canary-4711@db:5432/holdfast?ssl=true&password=canary-4711';
  expect(startFields({ mode: 'worker', databaseUrl, target })).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    mode: 'worker',
    database: 'db:5432/holdfast',
    temporal: 'temporal:7233',
    namespace: 'agents',
  });
});

test('the first log line of a development stack names an embedded database', () => {
  const fields = startFields({ mode: 'start', target: { options: {}, namespace: 'default' } });
  expect(fields).toMatchObject({ database: 'embedded', temporal: '127.0.0.1:7233' });
});
