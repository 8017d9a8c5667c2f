import { createServer } from 'node:net';

/** True when nothing listens on a port of this machine. */
async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Chooses a port: one that was asked for has to be free; else the first free one from `usual` on.
 * @param asked 0: any
 * @throws Error when the port that was asked for is in use
 */
export async function choosePort(what: string, asked: number | undefined, usual: number): Promise<number> {
  if (asked === 0) return await anyPort();
  if (asked !== undefined) {
    if (await isFree(asked)) return asked;
    throw new Error(`Port ${asked} (${what}) is in use; give another one, or 0 for any`);
  }
  for (let port = usual; port < usual + 200; port++) if (await isFree(port)) return port;
  return await anyPort();
}

/** Tries again what chooses ports and uses them: somebody else may take one in between. */
export async function onFreePorts<T>(start: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const isTaken = error instanceof Error && /address already in use|EADDRINUSE/.test(error.message);
    if (tries <= 1 || !isTaken) throw error;
    return await onFreePorts(start, tries - 1);
  }
}

async function anyPort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port is free')),
      );
    });
  });
}
