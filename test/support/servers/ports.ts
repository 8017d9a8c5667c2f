import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST_PORT = 16_000;
const RANGES = 500;
const PORTS_OF_A_RANGE = 30;

/**
 * Below the ports that clients connect from: one that is tried in vain for long enough may otherwise be connected to by
 * itself. Each process that tests has its own, so that no other process takes one while its owner is down.
 */
export const FIRST_PORT = await takeRange();

/** A range is taken by listening at its last port for as long as the process lives. @returns its first port */
async function takeRange(): Promise<number> {
  for (let tries = 0; tries < RANGES; tries += 1) {
    const first = LOWEST_PORT + ((process.pid + tries) % RANGES) * PORTS_OF_A_RANGE;
    if (await holdsPort(first + PORTS_OF_A_RANGE - 1)) return first;
  }
  throw new Error('No range of ports is free');
}

async function holdsPort(port: number): Promise<boolean> {
  const holder = createServer().unref();
  return await once(holder.listen(port, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  );
}
