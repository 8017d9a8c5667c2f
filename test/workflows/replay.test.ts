import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import type { ReplayWorkerOptions } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { installTemporalRuntime } from '../../src/dev/temporal-runtime.ts';
import { createLogger } from '../../src/logger.ts';
import { toTemporalLogger } from '../../src/temporal-logger.ts';
import { workflowCode } from '../../src/workflow-code.ts';

/* Runs that were recorded under an earlier state of the code go on under this one: the same commands in the same order. */

const FOLDER = fileURLToPath(new URL('histories/', import.meta.url));
const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).sort();
const read = async (file: string): Promise<string> => await readFile(`${FOLDER}${file}`, 'utf8');

describe('recorded histories', () => {
  let options: ReplayWorkerOptions;
  beforeAll(async () => {
    const logger = createLogger('fatal');
    installTemporalRuntime(logger);
    const workflowBundle = await bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(logger) });
    options = { workflowBundle, dataConverter: { payloadConverterPath: workflowCode.payloadConverterPath } };
  }, 60_000);
  const replay = async (json: string): Promise<void> =>
    await Worker.runReplayHistory(options, historyFromJSON(JSON.parse(json)));

  test('there are some', () => {
    expect(files.length).toBeGreaterThan(5);
  });

  test.each(files)('%s replays', async (file) => {
    await expect(replay(await read(file))).resolves.toBeUndefined();
  });

  test('one whose commands differ does not', async () => {
    const file = files.find((name) => name.includes('refund-triage')) ?? '';
    const other = (await read(file)).replaceAll(/"activityId": ?"([^"]*):classify:/g, '"activityId": "$1:classified:');
    await expect(replay(other)).rejects.toThrow(DeterminismViolationError);
  });
});
