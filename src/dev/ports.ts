import { createServer } from 'node:net';

/** True if nothing listens on a local port. */
async function isPortFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Chooses a port: a requested one must be free, else the first free one from `preferred`.
 * @param requested 0 for any port
 * @throws Error if the requested port is in use
 */
export async function choosePort(what: string, requested: number | undefined, preferred: number): Promise<number> {
  if (requested === 0) return await findAnyPort();
  if (requested !== undefined) {
    if (await isPortFree(requested)) return requested;
    throw new Error(`Port ${requested} (${what}) is in use; give another one, or 0 for any`);
  }
  for (let port = preferred; port < preferred + 200; port++) if (await isPortFree(port)) return port;
  return await findAnyPort();
}

/** Tries again if another process took a chosen port in the meantime. */
export async function retryIfPortTaken<T>(start: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const isTaken = error instanceof Error && /address already in use|EADDRINUSE/.test(error.message);
    if (tries <= 1 || !isTaken) throw error;
    return await retryIfPortTaken(start, tries - 1);
  }
}

async function findAnyPort(): Promise<number> {
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
