import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { readRecordings } from '../support/readers/recordings.ts';
import type { Recording } from '../support/readers/recordings.ts';
import { openReplay, replayAll } from '../support/servers/replays.ts';
import type { Replay } from '../support/servers/replays.ts';

/* Runs that were recorded under an earlier state of the code go on under this one: the same commands in the same order. */

const recordings = await readRecordings();

describe('recorded histories', () => {
  let replay: Replay;
  let outcomes: Awaited<ReturnType<typeof replayAll>>;
  beforeAll(async () => {
    replay = await openReplay();
    outcomes = await replayAll(recordings);
  }, 300_000);

  test.each(recordings)('the recorded history $name replays', ({ name, executions }) => {
    expect(executions.length).toBeGreaterThan(0);
    expect(outcomes.get(name)).toEqual(executions.map(() => null));
  });

  /** A recording of `retried`, changed. */
  function changed(change: (text: string) => string): Recording {
    const recording = recordings.find(({ name }) => name === 'retried');
    if (!recording) throw new TypeError('There is no such recording');
    const [first] = recording.executions;
    return { ...recording, executions: [JSON.parse(change(JSON.stringify(first)))] };
  }

  test.each([
    ['calls have other ids', (text: string) => text.replaceAll(/"activityId":"(\w+):paid:/g, '"activityId":"$1:pays:')],
    ['calls are of another activity', (text: string) => text.replaceAll('"name":"callTool"', '"name":"callFunction"')],
    ['search attributes were never set', withoutFirst('EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES')],
  ])('a recorded history whose %s does not replay', async (_how, change) => {
    expect(changed(change)).not.toEqual(changed((text) => text));
    await expect(replay(changed(change))).rejects.toThrow(DeterminismViolationError);
  });
});

/** Takes an event out of a history, and numbers those after it anew. */
function withoutFirst(type: string): (text: string) => string {
  return (text) => {
    const { events }: { events: { eventId: string; eventType: string }[] } = JSON.parse(text);
    const at = events.findIndex(({ eventType }) => eventType === type);
    const left = events.toSpliced(at, 1);
    return JSON.stringify({ events: left.map((event, index) => ({ ...event, eventId: String(index + 1) })) });
  };
}
