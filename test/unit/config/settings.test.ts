import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ApiSettings, SETTINGS, WorkerSettings, readSettings } from '../../../src/config/settings.ts';
import type { Setting } from '../../../src/config/settings.ts';
import { SetupError, awaitParts } from '../../../src/process/setup-error.ts';

const database = { DATABASE_URL: 'postgres://localhost/holdfast' };

const problemsOf = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    return error instanceof SetupError ? error.message.split('\n') : [`not expected: ${String(error)}`];
  }
};

describe('the settings of a process', () => {
  test('are numbers and texts, with defaults for unset variables', () => {
    const settings = readSettings(ApiSettings, { ...database, HOLDFAST_CURSOR_SECRET: 's', PORT: '', HOME: '/home' });
    expect(settings).toEqual({
      ...database,
      HOLDFAST_CURSOR_SECRET: 's',
      PORT: 3000,
      METRICS_HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
    });
  });

  test('of an API are refused with all problems, one per line', () => {
    expect(problemsOf(() => readSettings(ApiSettings, { PORT: '70000', LOG_LEVEL: 'loud', DATABASE_URL: '' }))).toEqual(
      [
        "The environment can't be used:",
        '  DATABASE_URL is not set: PostgreSQL, such as `postgres://user:password@host/database`',
        '  LOG_LEVEL is no level: trace, debug, info, warn, error, fatal or silent',
        '  HOLDFAST_CURSOR_SECRET is not set: Signs the cursors of lists: a long random text, the same for every API process',
        '  PORT must be a port, from 0 to 65535',
      ],
    );
  });

  test('of a worker are checked for rules over two variables', () => {
    const environment = {
      DATABASE_URL: 'localhost',
      HOLDFAST_CACHED_RUNS: '9',
      HOLDFAST_HEALTH_PORT: 'any',
      TEMPORAL_DEPLOYMENT_NAME: 'payments',
    };
    expect(problemsOf(() => readSettings(WorkerSettings, environment)).slice(1)).toEqual([
      '  DATABASE_URL must be a URL, such as postgres://user:password@host/database',
      '  HOLDFAST_HEALTH_PORT must be a port, from 0 to 65535',
      '  HOLDFAST_CACHED_RUNS must be a whole number, 10 or more',
      '  TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID go together; one of them is not set',
    ]);
  });

  test('are in the documentation, each with its default and its meaning', () => {
    const page = readFileSync(new URL('../../../docs/reference/environment.md', import.meta.url), 'utf8');
    const rows = page.split('\n').map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, 4),
    );
    const expected = Object.entries<Setting>(SETTINGS).map(([name, { fallback, meaning }]) => [
      `\`${name}\``,
      fallback === undefined ? '' : `\`${fallback}\``,
      meaning,
    ]);
    expect(rows).toEqual(expect.arrayContaining(expected));
  });
});

describe('parts of a setup', () => {
  const bad = async (message: string): Promise<never> => await Promise.reject(new SetupError(message));

  test('are checked together, with all problems in one error', async () => {
    const parts = [bad('no database'), Promise.resolve(1), bad('no auth')] as const;
    await expect(awaitParts(parts)).rejects.toThrow(new SetupError('no database\nno auth'));
  });

  test('that fail for another reason throw their own error', async () => {
    const broken = new TypeError('broken');
    await expect(awaitParts([bad('no database'), Promise.reject(broken), bad('no auth')])).rejects.toBe(broken);
  });
});
