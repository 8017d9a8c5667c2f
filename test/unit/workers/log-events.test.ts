import { expect, test } from 'vitest';
import { logEvents } from '../../../src/workers/log-events.ts';
import type { RunEvent } from '../../../src/graph/journal/index.ts';
import { NOTHING_REDACTED } from '../../../src/graph/redaction/index.ts';
import { createLogger } from '../../../src/process/logger.ts';

const at = '2026-01-01T00:00:00Z';
const writer = { runId: '01R', tenantId: 'acme', executionRunId: 'e1', graph: 'refund' };
const store = { runs: { redactionOfRuns: async () => new Map([['01R', NOTHING_REDACTED]]) } };
const stack = 'at execute (tools/pay.ts:31:36)\nat run (tools/pay.ts:2:1)';
const error = { code: 'TOOL_FAILED', message: 'closed' } as const;
const thrown = { ...error, cause: { code: 'Error', message: 'closed', stack } } as const;

test.each([
  ['with the frame of the user’s code', thrown, { thrownAt: 'execute (tools/pay.ts:31:36)' }],
  ['without a frame', error, {}],
])('a failed run is logged in one line: %s', async (_, failure, fields) => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  const failed: RunEvent = { type: 'run.failed', seq: 2, at, step: 1, error: failure };
  await logEvents({ store, logger }, [failed], writer);
  const { level: _level, time: _time, ...logged } = JSON.parse(lines.join(''));
  const named = { run: '01R', tenant: 'acme', graph: 'refund', ...error, ...fields };
  expect(logged).toEqual({ ...named, msg: 'a run has failed' });
});
