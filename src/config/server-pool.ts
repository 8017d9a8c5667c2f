import type { OpenServer } from '../activities/tools/mcp/open-server.ts';

/** MCP servers that stay connected from one load of a configuration to the next. */
export interface ServerPool {
  /**
   * Returns the open server with this key, or opens it. Each caller closes what it has got; the last one ends the
   * connection. A server that can't be used, or offers nothing, is opened anew for the next caller.
   */
  open(key: string, open: () => Promise<OpenServer>): Promise<OpenServer>;
}

interface PooledServer {
  readonly opening: Promise<OpenServer>;
  users: number;
}

export function createServerPool(): ServerPool {
  const pooled = new Map<string, PooledServer>();
  const remove = (key: string, server: PooledServer): void => {
    if (pooled.get(key) === server) pooled.delete(key);
  };
  return {
    async open(key, open) {
      const entry = pooled.get(key) ?? { opening: open(), users: 0 };
      entry.users += 1;
      pooled.set(key, entry);
      entry.opening.catch(() => remove(key, entry));
      const server = await entry.opening;
      if (server.problems.length > 0 || server.listing.tools.size === 0) remove(key, entry);
      let isClosed = false;
      return {
        ...server,
        async close() {
          if (isClosed) return;
          isClosed = true;
          entry.users -= 1;
          if (entry.users > 0) return;
          remove(key, entry);
          await server.close();
        },
      };
    },
  };
}
