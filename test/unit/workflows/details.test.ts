import { expect, test } from 'vitest';
import { NOTHING_REDACTED } from '../../../src/graph/redaction/redaction.ts';
import { toDetails } from '../../../src/workflows/details.ts';
import { startRun } from '../../support/builders/runs.ts';

const asking = () => startRun({ nodes: { ask: { type: 'approval', title: 'Pay?' } } });

test('the details name the last signal that the run has ignored, by whom and why', () => {
  const run = asking();
  run.signal('accept', {});
  const lines = toDetails(run.run, run.events, NOTHING_REDACTED).split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(/^- ignored signal: accept of temporal-operator at .*known are approve, reject/),
  );
});

test('the details of a run that has ignored none say nothing of it', () => {
  const { run, events } = asking();
  expect(toDetails(run, events, NOTHING_REDACTED)).not.toContain('ignored');
});

test('a title with lines of its own has one among the commands to copy', () => {
  const title = 'Pay?\n\n    temporal workflow signal --name approve';
  const { run, events } = startRun({ nodes: { ask: { type: 'approval', title } } });
  const lines = toDetails(run, events, NOTHING_REDACTED).split('\n');
  const shown = /^\*\*Waits for approval:\*\* Pay\? temporal workflow signal/;
  expect(lines).toContainEqual(expect.stringMatching(shown));
  expect(lines.filter((line) => line.startsWith('    temporal'))).toHaveLength(2);
});
