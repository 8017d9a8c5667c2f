/* The rooms of the API, bottom first. */

import type { Room } from './room.ts';
import { API_BASE, FACTS, NODE, OF_RUNS, REPLAY, STATE, WORDS } from './room-groups.ts';

export const API_ROOMS: Readonly<Record<string, Room>> = {
  'api/schemas': {
    rooms: ['graph/values', 'graph/definition', 'graph/schema', 'graph/journal'],
    packages: ['@hono/zod-openapi'],
  },
  'api/http': { rooms: [...FACTS, 'graph/redaction', 'store', 'process'], packages: [NODE, 'jose'] },
  'api/temporal': {
    rooms: ['graph/values', ...STATE, 'process', 'workflows', 'api/http'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto'],
  },
  'api/interpreter': {
    rooms: [...FACTS, ...REPLAY, 'graph/expression', 'graph/validate', 'store', 'process', 'testing', 'api/http'],
    packages: [NODE, 'p-limit', 'piscina'],
  },
  'api/deps.ts': {
    rooms: ['graph/definition', 'store', 'process', 'config', 'api/http', 'api/interpreter', 'api/temporal'],
  },
  'api/redaction': {
    rooms: ['graph/values', 'graph/journal', 'graph/run', 'graph/redaction', 'store', ...API_BASE],
  },
  'api/streams': {
    rooms: ['graph/values', 'graph/run', 'graph/journal', 'graph/redaction', 'store', ...API_BASE, 'api/redaction'],
    packages: [NODE, 'hono'],
  },
  'api/middleware': {
    rooms: [...WORDS, 'store', 'process', ...API_BASE, 'api/redaction'],
    packages: [NODE, '@hono/zod-openapi', 'hono', 'ulid'],
  },
  'api/graphs': {
    rooms: ['graph/values', 'graph/definition', 'store', 'process', 'config', 'api/http', 'api/interpreter'],
    packages: [NODE],
  },
  'api/states': {
    rooms: ['graph/values', 'graph/journal', 'graph/redaction', 'store', 'workflows', ...API_BASE, 'api/redaction'],
  },
  'api/tenants': { rooms: ['store', 'config', ...API_BASE] },
  'api/runs': {
    rooms: [
      ...FACTS,
      'graph/redaction',
      'graph/diagram',
      'store',
      'process',
      'workflows',
      ...API_BASE,
      'api/interpreter',
      'api/temporal',
      'api/graphs',
      'api/redaction',
      'api/states',
      'api/tenants',
    ],
    // Definitions of strangers are run by threads, in `api/interpreter`.
    types: ['graph/advance', 'graph/replay'],
  },
  'api/approvals': {
    rooms: ['graph/values', 'graph/run', 'graph/redaction', 'store', ...API_BASE, 'api/redaction', 'api/runs'],
  },
  'api/explain': {
    rooms: [
      'graph/values',
      'graph/definition',
      'graph/run',
      'graph/redaction',
      'graph/wording',
      'store',
      ...API_BASE,
      'api/redaction',
      'api/runs',
      'api/approvals',
    ],
  },
  'api/schedules': {
    rooms: ['graph/definition', 'graph/redaction', 'store', ...API_BASE, 'api/interpreter', ...OF_RUNS],
    packages: ['p-limit', 'ulid'],
  },
  'api/trials': { rooms: ['testing', ...API_BASE, 'api/interpreter', 'api/graphs', 'api/runs'] },
  'api/chat': {
    rooms: [
      ...FACTS,
      'graph/redaction',
      'store',
      ...API_BASE,
      'api/middleware',
      ...OF_RUNS,
      'api/approvals',
      'api/streams',
    ],
    packages: [NODE, 'ulid'],
  },
  'api/bulk': {
    rooms: ['graph/run', 'graph/redaction', 'store', ...API_BASE, 'api/redaction', 'api/runs', 'api/approvals'],
    packages: ['p-limit'],
  },
  'api/webhooks': {
    rooms: [
      'graph/values',
      ...STATE,
      'graph/redaction',
      'store',
      'activities',
      ...API_BASE,
      'api/redaction',
      'api/runs',
    ],
    packages: [NODE, 'ulid', 'undici'],
  },
  'api/hooks': {
    rooms: [...WORDS, 'graph/redaction', 'store', ...API_BASE, 'api/redaction', 'api/runs'],
    types: ['graph/expression'],
    packages: [NODE, 'standardwebhooks', 'ulid'],
  },
  'api/sweeper': {
    rooms: [
      'graph/values',
      ...STATE,
      'store',
      'workflows',
      'api/deps.ts',
      'api/temporal',
      'api/runs',
      'api/webhooks',
      'api/schedules',
    ],
  },
  'api/routes': {
    rooms: [
      ...WORDS,
      'graph/schema',
      'graph/redaction',
      'graph/run',
      'store',
      'process',
      ...API_BASE,
      'api/schemas',
      'api/middleware',
      'api/graphs',
      'api/redaction',
      'api/states',
      'api/streams',
      'api/runs',
      'api/approvals',
      'api/explain',
      'api/chat',
      'api/bulk',
      'api/webhooks',
      'api/schedules',
      'api/trials',
      'api/hooks',
      'api/sweeper',
    ],
    types: ['graph/replay'],
    packages: [NODE, '@hono/node-server', '@hono/zod-openapi', 'hono'],
  },
  api: {
    rooms: [
      ...WORDS,
      'store',
      'process',
      'config',
      ...API_BASE,
      'api/interpreter',
      'api/schemas',
      'api/temporal',
      'api/middleware',
      'api/graphs',
      'api/routes',
      'api/sweeper',
    ],
    packages: ['@hono/zod-openapi', 'hono', 'ulid'],
    code: 'entry',
  },
};
