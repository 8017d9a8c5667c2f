import { expect, test } from 'vitest';
import { formatLogLine } from '../../../../src/cli/local/logs.ts';

const line = (fields: object): string => JSON.stringify({ level: 40, time: 0, msg: 'a call failed', ...fields });

test('a JSON line of the log is formatted as text by the CLI', () => {
  expect(formatLogLine(line({ run: '01M', attempt: 2 }), 30)).toBe(
    '1970-01-01T00:00:00.000Z WARN  a call failed run=01M attempt=2',
  );
});

test.each([{ stack: 'TypeError: x\n    at pay' }, { error: { message: 'x', stack: 'TypeError: x\n    at pay' } }])(
  'a stack trace is printed after the log line of %j',
  (fields) => {
    expect(formatLogLine(line(fields), 30)).toBe(
      '1970-01-01T00:00:00.000Z WARN  a call failed\n    TypeError: x\n        at pay',
    );
  },
);

test.each(['not JSON', '{}', JSON.stringify({ level: 20, time: 0, msg: 'fine' })])(
  'the CLI omits the log line %j',
  (text) => {
    expect(formatLogLine(text, 30)).toBeNull();
  },
);

test('control characters in a log line are escaped by the CLI', () => {
  expect(formatLogLine(line({ msg: 'up\u001B[2A' }), 30)).toContain('up\\u{1b}[2A');
});
