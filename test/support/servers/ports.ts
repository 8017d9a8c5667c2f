import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST_PORT = 16_000;
const RANGES = 500;
const PORTS_OF_A_RANGE = 30;

/**
 * Ports below the range for outgoing connections: repeated attempts to connect to an unused port in that range can
 * connect to themselves. Each test process has its own range, so that no other process takes a port while its owner is
 * down.
 */
export const FIRST_PORT = await takeRange();

/** Reserves a range by listening on its last port for the lifetime of the process. @returns its first port */
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
