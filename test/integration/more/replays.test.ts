import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';
import { bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeDifference, replayHistories } from '../../../src/dev/replays/replay-histories.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { workflowCode } from '../../../src/workers/workflow-code.ts';
import { readRecording } from '../../support/readers/recordings.ts';

/*
 * After tests, chaos and the conformance suite the histories of all runs are replayed. These tests show that the replay
 * can fail.
 */

const { History } = proto.temporal.api.history.v1;
const CARELESS = fileURLToPath(new URL('../../replay/next-version/careless.ts', import.meta.url));

const teardown = openTeardown();
let folder: string;
let otherCode: string;
beforeAll(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'holdfast-replays-'));
  teardown.add(() => rm(parent, { recursive: true, force: true }));
  folder = join(parent, 'histories');
  otherCode = join(parent, 'careless.js');
  const logger = toTemporalLogger(createLogger('fatal'));
  const { code } = await bundleWorkflowCode({ ...workflowCode, workflowsPath: CARELESS, logger });
  await writeFile(otherCode, code);
}, 180_000);
afterAll(async () => await teardown.run());

const FACTS = { workflowId: 'run:demo:R1', executionRunId: 'X1', about: 'a test' };

/** Stores the recording of a run, as is done before a server is stopped. */
async function keepRecording(change: (text: string) => string = (text) => text): Promise<void> {
  const { executions } = await readRecording('retried.json');
  const history = historyFromJSON(JSON.parse(change(JSON.stringify(executions[0]))));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'one.history'), History.encode(history).finish());
  await writeFile(join(folder, 'one.json'), JSON.stringify(FACTS));
}

beforeEach(() => keepRecording());

test('the replay check of a run with the same code shows no difference', async () => {
  expect(await replayHistories(folder)).toMatchObject({ replayed: 1, differences: [] });
  expect(await readdir(folder)).toEqual([]);
});

test('the replay check reports changed code with the run, the difference and the path of its history', async () => {
  const { bundle } = await replayHistories(folder);
  await keepRecording();
  const found = await replayHistories(folder, { ...process.env, HOLDFAST_WORKFLOW_BUNDLE: otherCode });
  expect(found.bundle).not.toBe(bundle);
  expect(found.differences).toEqual([
    { ...FACTS, error: expect.stringMatching(/nondeterminism/i), path: expect.any(String) },
  ]);
  const [difference = { ...FACTS, error: '', path: '' }] = found.differences;
  expect(describeDifference(difference)).toContain('run:demo:R1');
  expect(JSON.parse(await readFile(difference.path, 'utf8'))).toMatchObject({ events: expect.any(Array) });
  expect(JSON.parse(await readFile(difference.path.replace(/\.json$/, '.facts.json'), 'utf8'))).toMatchObject({
    bundle: found.bundle,
    commit: expect.anything(),
    isClean: expect.any(Boolean),
    workers: expect.arrayContaining([{ eventId: expect.any(Number), identity: expect.anything() }]),
  });
});

test('the replay check reports a history with another call than the code makes', async () => {
  await keepRecording((text) => text.replaceAll('"name":"callTool"', '"name":"callFunction"'));
  const { differences } = await replayHistories(folder);
  expect(differences).toMatchObject([{ workflowId: 'run:demo:R1' }]);
});
