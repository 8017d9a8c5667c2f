import { expect, test } from 'vitest';
import { atPort } from '../../../src/process/listen.ts';

const PORT = { variable: 'PORT', port: 80 };

test.each([
  ['listen EADDRINUSE: address already in use 0.0.0.0:80', 'is in use; set another one'],
  ['Failed to start prometheus metrics exporter: Address already in use (os error 98)', 'is in use; set another one'],
  ['listen EACCES: permission denied 0.0.0.0:80', 'is not allowed to this process; set one from 1024 on'],
])('the error "%s" of a taken port names the port and its variable', async (message, reason) => {
  await expect(atPort(PORT, async () => await Promise.reject(new Error(message)))).rejects.toThrow(
    `Port 80 (PORT) ${reason}`,
  );
});

test('an error that concerns no port is thrown as it is', async () => {
  const error = new Error('no such file');
  await expect(atPort(PORT, async () => await Promise.reject(error))).rejects.toBe(error);
});
