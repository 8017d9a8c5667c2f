import { DEFAULTS } from '../../../src/graph/definition/catalog.ts';
import { limitsOfGraph } from '../../../src/graph/run/limits.ts';

/** The owner and the graph of a run, for tests that begin a run manually. */
export const IDENTITY = {
  id: 'run-1',
  tenantId: 'acme',
  threadId: null,
  graph: { name: 'test', version: null, hash: 'h' },
  createdBy: { sub: 'uma', roles: [] },
  limits: limitsOfGraph({}, DEFAULTS),
};
