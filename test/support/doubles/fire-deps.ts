import type { FireDeps } from '../../../src/api/schedules/act-as-owner.ts';
import { toApiSettings } from '../../../src/config/api-settings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { createLogger } from '../../../src/process/logger.ts';
import type { Store } from '../../../src/store/store.ts';
import { aCatalog } from '../builders/builders.ts';
import { anAbsentEngine } from './absent-engine.ts';
import { graphJobsHere } from './graph-jobs-here.ts';

/** Builds what fires of schedules need, without a Temporal server. */
export const fireDeps = (store: Store, config: ConfigInput = {}): FireDeps => ({
  store,
  engine: anAbsentEngine(),
  catalog: aCatalog(),
  graphJobs: graphJobsHere(aCatalog()),
  settings: toApiSettings(parseConfig('the test', config), {}),
  logger: createLogger('silent'),
});
