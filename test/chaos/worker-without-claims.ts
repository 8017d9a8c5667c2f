import { NativeConnection, Runtime } from '@temporalio/worker';
import { loadConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openPostgresStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { toTemporalLogger } from '../../src/process/temporal-logger.ts';
import { createWorkers } from '../../src/worker.ts';
import { TASK_QUEUE } from '../../src/workflows/contract.ts';

/**
 * A worker whose ledger accepts every claim: work that a lost attempt may have done is repeated. The chaos test must
 * detect this.
 */

const { DATABASE_URL = '', TEMPORAL_ADDRESS = '', HOLDFAST_CONFIG } = process.env;

function withoutClaims(store: Store): Store {
  const claim: Store['ledger']['claim'] = async (claim) =>
    await store.ledger.claim(claim, ({ failures }) => ({ isGranted: true, failures }));
  return { ...store, ledger: { ...store.ledger, claim } };
}

const logger = createLogger('info');
Runtime.install({ logger: toTemporalLogger(logger) });
const [config, store, connection] = await Promise.all([
  loadConfig(HOLDFAST_CONFIG),
  openPostgresStore(DATABASE_URL),
  NativeConnection.connect({ address: TEMPORAL_ADDRESS }),
]);
const workers = await createWorkers({
  config,
  store: withoutClaims(store),
  connection,
  namespace: 'default',
  taskQueues: [TASK_QUEUE],
  logger,
  environment: process.env,
});
logger.info('worker started');
await Promise.all(workers.map((worker) => worker.run()));
