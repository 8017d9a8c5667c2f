import { DEFAULTS } from '../../../src/graph/definition/catalog.ts';
import { limitsOfGraph } from '../../../src/graph/run/limits.ts';

/** Whose run it is, and of which graph, for tests that begin a run by hand. */
export const IDENTITY = {
  id: 'run-1',
  tenantId: 'acme',
  threadId: null,
  graph: { name: 'test', version: null, hash: 'h' },
  createdBy: { sub: 'uma', roles: [] },
  limits: limitsOfGraph({}, DEFAULTS),
};
