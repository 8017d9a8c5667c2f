/** The ports of one of the server's services. */
export interface ServicePorts {
  /** For clients, and for services that have a call for it. */
  readonly grpcPort: number;
  /** For the services to find one another; below 32,768, because its column in PostgreSQL is a small one. */
  readonly membershipPort: number;
}

export type Services = Readonly<Record<'frontend' | 'history' | 'matching' | 'worker', ServicePorts>>;

interface ServerParts {
  readonly services: Services;
  /** The server of both databases. */
  readonly postgresUrl: string;
  /** The names of the databases. */
  readonly databases: { readonly store: string; readonly visibility: string };
  /** The file of the dynamic configuration. */
  readonly dynamicConfig: string;
}

/** A number of shards is for good; runs are spread over them. */
const SHARDS = 4;

/** The configuration of a Temporal server with all services in one process, at a PostgreSQL. */
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
