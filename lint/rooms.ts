/* The rooms of src, bottom first, and what each may import. `npm run lint:rooms` writes oxlint's rules from it. */

import { API_ROOMS } from './api-rooms.ts';
import { CLI_ROOMS } from './cli-rooms.ts';
import type { Room } from './room.ts';
import { API_BASE, FACTS, LANGUAGE, NODE, REPLAY, STATE, WORDS, WORK } from './room-groups.ts';

/** A room of the interpreter, known from outside by its `index.ts`. */
const known = (room: Pick<Room, 'rooms' | 'packages' | 'typePackages'>): Room => ({
  ...room,
  face: ['index.ts'],
  code: 'pure',
});

/** A room of the interpreter that only other rooms of the interpreter know. */
const inner = (rooms: readonly string[]): Room => ({ rooms, face: [], code: 'pure' });

export const ROOMS: Readonly<Record<string, Room>> = {
  'graph/values': known({ rooms: [], packages: ['fastest-levenshtein', 'json-schema-library', 're2js'] }),
  'graph/definition': known({ rooms: ['graph/values'] }),
  'graph/expression': known({ rooms: ['graph/values'], packages: ['@marcbachmann/cel-js'] }),
  'graph/channels': inner(['graph/values', 'graph/definition', 'graph/expression']),
  'graph/schema': known({ rooms: ['graph/values', 'graph/definition'], packages: ['zod'] }),
  'graph/diagram': known({ rooms: ['graph/values', 'graph/definition'] }),
  'graph/run': known({ rooms: ['graph/values', 'graph/definition', 'graph/channels'], packages: ['@noble/hashes'] }),
  'graph/validate': known({ rooms: [...WORDS, 'graph/expression', 'graph/schema'], typePackages: ['zod'] }),
  'graph/journal': known({ rooms: ['graph/values', 'graph/channels', 'graph/run'] }),
  'graph/redaction': known({ rooms: [...FACTS, 'graph/expression'] }),
  'graph/wording': known({ rooms: ['graph/values', 'graph/definition', 'graph/journal'] }),
  'graph/nodes': inner([...LANGUAGE, 'graph/run']),
  'graph/compile': known({ rooms: [...LANGUAGE, 'graph/run', 'graph/nodes'] }),
  'graph/draft': inner([...LANGUAGE, ...STATE, 'graph/compile']),
  'graph/superstep': inner([...WORK, 'graph/nodes']),
  'graph/lifecycle': inner([...WORK, 'graph/nodes', 'graph/superstep']),
  'graph/signals': known({ rooms: [...WORK, 'graph/superstep', 'graph/lifecycle'] }),
  'graph/advance': known({ rooms: [...WORK, 'graph/superstep', 'graph/lifecycle', 'graph/signals'] }),

  'graph/replay': known({ rooms: [...FACTS, 'graph/redaction', 'graph/compile', 'graph/advance'] }),

  builder: { rooms: ['graph/values', 'graph/definition', 'graph/diagram', 'graph/validate'], code: 'pure' },
  store: {
    rooms: FACTS,
    types: ['graph/redaction', 'graph/replay'],
    packages: [NODE, 'kysely', 'pg', 'sql-template-tag'],
  },
  process: {
    rooms: ['graph/values', 'store'],
    packages: [
      NODE,
      '@hono/node-server',
      '@opentelemetry/api',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
      '@temporalio/worker',
      'pino',
      'pino-pretty',
    ],
  },
  'telemetry/exporters': { rooms: ['process'], packages: [NODE, '@opentelemetry/api', '@opentelemetry/resources'] },
  'telemetry/metrics': {
    rooms: [...STATE, 'graph/values', 'process', 'telemetry/exporters'],
    types: ['store'],
    packages: [
      '@opentelemetry/exporter-metrics-otlp-proto',
      '@opentelemetry/exporter-prometheus',
      '@opentelemetry/sdk-metrics',
      'ulid',
    ],
  },
  'telemetry/traces': {
    rooms: ['graph/values', ...STATE, 'process', 'telemetry/exporters'],
    packages: [
      NODE,
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/sdk-trace-base',
    ],
  },
  'telemetry/open-telemetry.ts': { rooms: ['telemetry/exporters', 'telemetry/metrics', 'telemetry/traces'] },
  activities: {
    rooms: [...FACTS, 'graph/expression', 'store', 'telemetry/metrics', 'telemetry/traces'],
    packages: [
      NODE,
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      '@modelcontextprotocol/sdk',
      '@temporalio/activity',
      '@temporalio/common',
      'gpt-tokenizer',
      'ipaddr.js',
      'ulid',
      'undici',
      'zod',
    ],
    typePackages: ['pino'],
  },
  workflows: {
    rooms: [...FACTS, 'graph/redaction', 'graph/compile', 'graph/signals', 'graph/advance'],
    types: ['activities'],
    packages: ['@temporalio/common', '@temporalio/workflow'],
    face: ['contract.ts', 'search-attributes.ts', 'schedules/schedule-contract.ts'],
    code: 'sandbox',
  },
  config: {
    rooms: [
      'graph/values',
      'graph/definition',
      'graph/expression',
      'graph/schema',
      'builder',
      'process',
      'telemetry/metrics',
      'activities',
    ],
    types: ['store'],
    packages: [NODE, 'tsx', 'zod'],
  },
  'index.ts': { rooms: ['graph/definition', 'builder', 'activities', 'config'], types: ['store'] },
  testing: {
    rooms: [...FACTS, ...REPLAY, 'graph/expression', 'graph/validate', 'builder', 'activities', 'config'],
    types: ['store'],
    packages: [NODE, 'zod'],
    face: ['index.ts', 'evaluation/index.ts', 'outputs/index.ts'],
  },
  client: {
    rooms: [],
    types: ['graph/journal', 'builder', 'api/schemas', 'api/http'],
    typePackages: ['zod'],
    face: ['index.ts'],
  },
  workers: {
    rooms: [
      'graph/values',
      'graph/journal',
      'store',
      'process',
      'telemetry/metrics',
      'telemetry/traces',
      'activities',
      'workflows',
      'config',
    ],
    packages: [NODE, '@temporalio/proto', '@temporalio/worker', '@temporalio/workflow', 'ulid'],
  },
  'worker.ts': {
    rooms: [
      'graph/values',
      'store',
      'process',
      'telemetry/open-telemetry.ts',
      'activities',
      'workflows',
      'config',
      'workers',
    ],
    packages: ['@temporalio/worker'],
    code: 'entry',
  },
  'run-worker.ts': { rooms: ['process', 'worker.ts'] },

  ...API_ROOMS,
  'run-api.ts': { rooms: ['process', 'api'] },
  dev: {
    rooms: [
      ...WORDS,
      'graph/redaction',
      'graph/wording',
      'store',
      'process',
      'telemetry/open-telemetry.ts',
      'workflows',
      'config',
      'workers',
      'worker.ts',
      ...API_BASE,
      'api/graph-jobs',
      'api/temporal',
      'api/graphs',
      'api',
    ],
    types: ['graph/journal'],
    packages: [
      NODE,
      '@electric-sql/pglite',
      '@electric-sql/pglite-pgvector',
      '@hono/node-server',
      '@temporalio/client',
      '@temporalio/testing',
      '@temporalio/worker',
      'hono',
      'jose',
      'kysely',
      'zod',
    ],
    code: 'entry',
  },
  ...CLI_ROOMS,
};
