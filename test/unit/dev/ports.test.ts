import { expect, test } from 'vitest';
import { retryIfPortTaken } from '../../../src/dev/ports.ts';

const failing = (message: string, times: number) => {
  let tries = 0;
  return async () => await (++tries > times ? Promise.resolve(tries) : Promise.reject(new Error(message)));
};

test.each(['listen tcp 127.0.0.1:1: bind: address already in use', 'listen EADDRINUSE: 127.0.0.1:1'])(
  'a start of the development stack that fails with "%s" is attempted with other ports, up to three times',
  async (message) => {
    expect(await retryIfPortTaken(failing(message, 2))).toBe(3);
    await expect(retryIfPortTaken(failing(message, 3))).rejects.toThrow(message);
  },
);

test('a start of the development stack with any other failure is not retried', async () => {
  await expect(retryIfPortTaken(failing('no such file', 1))).rejects.toThrow('no such file');
});
