/** The ports of one of the server's services. */
export interface ServicePorts {
  /** The port for clients, and for calls of other services. */
  readonly grpcPort: number;
  /** The port by which the services find each other; below 32,768, because its column in PostgreSQL is a smallint. */
  readonly membershipPort: number;
}

export type Services = Readonly<Record<'frontend' | 'history' | 'matching' | 'worker', ServicePorts>>;

interface ServerParts {
  readonly services: Services;
  /** The PostgreSQL server of both databases. */
  readonly postgresUrl: string;
  /** The names of the databases. */
  readonly databases: { readonly store: string; readonly visibility: string };
  /** The path of the dynamic configuration. */
  readonly dynamicConfig: string;
}

/** The number of shards can't be changed later; runs are distributed over them. */
const SHARDS = 4;

/** The configuration of a Temporal server that runs all services in one process on PostgreSQL. */
export function toServerConfig({ services, postgresUrl, databases, dynamicConfig }: ServerParts): object {
  const datastore = (databaseName: string, maxConns: number) => ({
    sql: { ...toConnection(postgresUrl), databaseName, maxConns, maxIdleConns: maxConns, maxConnLifetime: '1h' },
  });
  const rpc = (ports: ServicePorts) => ({ rpc: { ...ports, bindOnLocalHost: true } });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { store: datastore(databases.store, 20), visibility: datastore(databases.visibility, 10) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(Object.entries(services).map(([name, ports]) => [name, rpc(ports)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${services.frontend.grpcPort}`,
        },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  };
}

function toConnection(postgresUrl: string): object {
  const { host, username, password } = new URL(postgresUrl);
  return { pluginName: 'postgres12', connectAddr: host, connectProtocol: 'tcp', user: username, password };
}
