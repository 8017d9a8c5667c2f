import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { startTemporalServer } from '../../../src/dev/temporal-server.ts';

test('no server is started whose log can not be opened', async () => {
  const logFile = tmpdir();
  const starting = startTemporalServer({ executable: '/nowhere/temporal', port: 1, uiPort: 2, logFile });
  await expect(starting).rejects.toThrow(`The log can't be written to ${logFile}: EISDIR`);
});
