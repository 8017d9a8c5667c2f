import { fileURLToPath } from 'node:url';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { INTERPRETER_VERSION } from '../../src/graph/definition/definition.ts';
import { readRecording } from '../support/readers/recordings.ts';
import type { Recording } from '../support/readers/recordings.ts';
import { openReplay } from '../support/servers/replays.ts';

/* What becomes of a run that this version has begun, when the code of another version has to go on with it. */

const CAREFUL = fileURLToPath(new URL('./next-version/index.ts', import.meta.url));
const CARELESS = fileURLToPath(new URL('./next-version/careless.ts', import.meta.url));

let begun: Recording;
beforeAll(async () => {
  begun = await readRecording('retried.json');
});

/** Each bundles the code of workflows once more. */
describe('a change of the commands', { timeout: 180_000 }, () => {
  test("a change of the interpreter's commands does not affect runs that have begun before it, where the code checks the version", async () => {
    const replay = await openReplay(CAREFUL);
    await expect(replay(begun)).resolves.toBeUndefined();
  });

  test("a change of the interpreter's commands without a version check breaks the replay of earlier runs", async () => {
    const replay = await openReplay(CARELESS);
    await expect(replay(begun)).rejects.toThrow(DeterminismViolationError);
  });
});

test('a worker does not execute a run with an unknown interpreter version', async () => {
  const replay = await openReplay();
  const later = withVersion(begun, INTERPRETER_VERSION + 1);
  await expect(replay(later)).rejects.toThrow(`needs interpreter ${INTERPRETER_VERSION + 1}`);
});

/** The same run, started with another interpreter's version. */
function withVersion(recording: Recording, version: number): Recording {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const decode = (data: string): string => Buffer.from(data, 'base64').toString();
  const text = JSON.stringify(recording.executions).replaceAll(/"data":"([^"]+)"/g, (_, data: string) => {
    const input = decode(data).replace(/"interpreterVersion":\d+/, `"interpreterVersion":${version}`);
    return `"data":"${encode(input)}"`;
  });
  return { ...recording, executions: JSON.parse(text) };
}
