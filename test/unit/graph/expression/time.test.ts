import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseExpression } from '../../../../src/graph/expression/expression.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const evaluate = (source: string): Json => parseExpression(source, []).evaluate({});

describe('time in expressions', () => {
  test.each<[string, Json]>([
    ['timestamp("2024-03-07T10:00:00+02:00")', '2024-03-07T08:00:00.000Z'],
    ['timestamp("2024-03-07T10:00:00.123456Z")', '2024-03-07T10:00:00.123Z'],
    ['timestamp(0)', '1970-01-01T00:00:00.000Z'],
    ['timestamp("2024-03-31T02:30:00Z").getHours("UTC")', 2],
    ['timestamp("2024-03-31T02:30:00Z").getHours("+02:00")', 4],
    ['timestamp("2024-03-31T02:30:00Z").getMinutes("-00:45")', 45],
    ['timestamp("2024-06-15T00:30:00Z").getDayOfYear()', 166],
    ['timestamp("2024-06-15T00:30:00Z").getDayOfYear("-01:00")', 165],
    ['timestamp("2024-06-15T00:30:00Z").getDate()', 15],
    ['timestamp("2024-06-15T00:30:00Z").getDayOfMonth()', 14],
    ['timestamp("2024-06-15T00:30:00Z").getDayOfWeek()', 6],
    ['timestamp("2024-06-15T00:30:00Z").getFullYear("+14:00")', 2024],
    ['timestamp("2024-06-15T00:30:07.250Z").getMonth()', 5],
    ['timestamp("2024-06-15T00:30:07.250Z").getSeconds()', 7],
    ['timestamp("2024-06-15T00:30:07.250Z").getMilliseconds()', 250],
    ['timestamp("2024-06-15T00:00:00Z") - timestamp("2024-06-14T23:59:58.500Z")', '1.5s'],
    ['duration("1h30m")', '5400s'],
    ['duration("-1.5s")', '-1.5s'],
    ['duration("-0.25s")', '-0.25s'],
    ['duration("1h1ms").getMinutes()', 60],
    ['duration("2s5ms").getMilliseconds()', 2005],
    ['duration("3h").getHours()', 3],
    ['duration("90s").getSeconds()', 90],
  ])('the time expression %s has the expected value', (source, expected) => {
    expect(evaluate(source)).toBe(expected);
  });

  test.each<[string, RegExp]>([
    ['timestamp("2024-03-07 10:00:00.000")', /no timestamp of RFC 3339/],
    ['timestamp("2024-03-07 10:00:00Z")', /no timestamp/],
    ['timestamp("2024-03-07T10:00:00")', /needs an offset/],
    ['timestamp("March 7, 2024 10:00:00")', /no timestamp/],
    ['timestamp("2024-02-30T10:00:00Z")', /no timestamp/],
    ['timestamp("2024-02-03T24:00:00Z")', /no timestamp/],
    ['timestamp("2024-02-03T10:00:00+25:00")', /no timestamp/],
    ['timestamp("9999-12-31T23:59:59Z") + duration("48h")', /no timestamp/],
    ['timestamp(0).getHours("Europe/Berlin")', /named zones differ/],
    ['timestamp(0).getHours("+26:00")', /no zone/],
    ['duration("1 day")', /no duration/],
    [`duration("${'1'.repeat(200)}s")`, /no duration/],
    ['duration("99999999999h")', /no duration/],
  ])('the time expression %s fails', (source, message) => {
    expect(() => evaluate(source)).toThrow(message);
  });

  test('time expressions have the same results in all time zones of processes', () => {
    const script = `
      import { parseExpression } from './src/graph/expression/expression.ts';
      const sources = ['timestamp("2024-06-15T00:30:00Z").getDayOfYear()', 'timestamp("2024-03-31T02:30:00Z").getHours("UTC")',
        'timestamp("2024-03-31T02:30:00Z").getDate("+05:30")', 'timestamp("2024-03-31T02:30:00Z") + duration("36h")'];
      console.log(JSON.stringify(sources.map((source) => parseExpression(source, []).evaluate({}))));`;
    const inZone = (zone: string): string =>
      execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
        env: { ...process.env, TZ: zone },
        encoding: 'utf8',
      });
    const inUtc = inZone('UTC');
    expect(JSON.parse(inUtc)).toEqual([166, 2, 31, '2024-04-01T14:30:00.000Z']);
    expect([inZone('Europe/Berlin'), inZone('America/Los_Angeles')]).toEqual([inUtc, inUtc]);
  }, 60_000);
});
