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

test('a title of megabytes is cut before it is written, and its commands are there', () => {
  const title = '*'.repeat(1_000_000);
  const { run, events } = startRun({ nodes: { ask: { type: 'approval', title } } });
  const text = toDetails(run, events, NOTHING_REDACTED);
  expect(text).toContain(String.raw`\*…`);
  expect(text).toContain('--name approve');
});

test('an approval for which there is no room is not looked at', () => {
  const asking = Array.from({ length: 9 }, (_, at) => `ask${at}`);
  const title = '*'.repeat(900);
  const nodes = Object.fromEntries(asking.map((id) => [id, { type: 'approval' as const, title }]));
  const { run, events } = startRun({ nodes, edges: [{ from: '__start__', to: asking }] });
  const [first] = Object.values(run.approvals);
  if (!first) throw new TypeError('No approval is open');
  const unread = {
    ...first,
    get title(): string {
      throw new TypeError('It is read');
    },
  };
  const details = toDetails({ ...run, approvals: { ...run.approvals, unread } }, events, NOTHING_REDACTED);
  expect(details).toMatch(/There is more; ask the API for the run\.$/);
});
