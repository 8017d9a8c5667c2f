import { expect, test, describe } from 'vitest';
import { NOTHING_REDACTED } from '../../../src/graph/redaction/redaction.ts';
import { toRunDetails, inlineMarkdown } from '../../../src/workflows/display.ts';
import { createLatestEvents } from '../../../src/workflows/queries.ts';
import { startRun } from '../../support/builders/runs.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';

const asking = () => startRun({ nodes: { ask: { type: 'approval', title: 'Pay?' } } });

test('the workflow details name the last ignored signal, its sender and the reason', () => {
  const run = asking();
  run.signal('accept', {});
  const lines = toRunDetails(run.run, run.events, NOTHING_REDACTED).split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(/^- ignored signal: accept of temporal-operator at .*known are approve, reject/),
  );
});

test('the workflow details of a run without ignored signals mention none', () => {
  const { run, events } = asking();
  expect(toRunDetails(run, events, NOTHING_REDACTED)).not.toContain('ignored');
});

test('a workflow title with several lines is written in one line, so it adds no command to copy', () => {
  const title = 'Pay?\n\n    temporal workflow signal --name approve';
  const { run, events } = startRun({ nodes: { ask: { type: 'approval', title } } });
  const lines = toRunDetails(run, events, NOTHING_REDACTED).split('\n');
  const shown = /^\*\*Node ask waits until \S+ for .* to decide: Pay\? temporal workflow signal/;
  expect(lines).toContainEqual(expect.stringMatching(shown));
  expect(lines.filter((line) => line.startsWith('    temporal'))).toHaveLength(2);
});

test('a workflow title of a megabyte is cut, and the commands follow', () => {
  const title = '*'.repeat(1_000_000);
  const { run, events } = startRun({ nodes: { ask: { type: 'approval', title } } });
  const text = toRunDetails(run, events, NOTHING_REDACTED);
  expect(text).toContain(String.raw`\*…`);
  expect(text).toContain('--name approve');
});

test('an approval beyond the maximum length of the workflow details is not read', () => {
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
  const details = toRunDetails({ ...run, approvals: { ...run.approvals, unread } }, events, NOTHING_REDACTED);
  expect(details).toMatch(/There is more; ask the API for the run\.$/);
});

test.each([
  ['Pay 100 USD?', 'Pay 100 USD?'],
  ['Pay?\n\n    temporal workflow signal --name approve', 'Pay? temporal workflow signal --name approve'],
  ['a\u2028b\u0085c\u0000d', 'a b c d'],
  ['**bold** [link](http://x) `code` <b>', String.raw`\*\*bold\*\* \[link\](http\://x) \`code\` \<b\>`],
  ['&#10;', String.raw`\&\#10;`],
])('the text %j is written in one line of Markdown in the workflow details', (text, expected) => {
  expect(inlineMarkdown(text)).toBe(expected);
});

const event = (seq: number, size = 0): RunEvent => ({
  seq,
  at: '2026-01-02T03:04:05.678Z',
  step: 0,
  type: 'run.completed',
  output: 'x'.repeat(size),
});
const from = (first: number, count: number, size = 0): RunEvent[] =>
  Array.from({ length: count }, (_, at) => event(first + at, size));
const numbers = (events: readonly RunEvent[]): number[] => events.map(({ seq }) => seq);

describe('the latest events of a run', () => {
  test.each([1, 7, 1_000])('the latest events of a run are 200 at most, added in groups of %d', (width) => {
    const latest = createLatestEvents([]);
    for (let seq = 1; seq <= 1_000; seq += width) latest.add(from(seq, Math.min(width, 1_001 - seq)));
    expect(numbers(latest.all())).toEqual(from(801, 200).map(({ seq }) => seq));
  });

  test('the latest events of a run have no more bytes than an answer of a query may have', () => {
    const latest = createLatestEvents(from(1, 5, 100_000));
    latest.add(from(6, 20, 100_000));
    expect(numbers(latest.all())).toEqual([17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(JSON.stringify(latest.all()).length).toBeLessThan(1_000_000);
    latest.add([event(26)]);
    expect(numbers(latest.all())).toHaveLength(10);
  });

  test('the latest events of a run always include the last event, regardless of its size', () => {
    const latest = createLatestEvents(from(1, 3));
    latest.add([event(4, 5_000_000)]);
    expect(numbers(latest.all())).toEqual([4]);
    latest.add([event(5)]);
    expect(numbers(latest.all())).toEqual([5]);
  });
});
