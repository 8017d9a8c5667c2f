import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { countThreads } from '../../../../src/api/graph-jobs/open-graph-jobs.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  { processors: 8, memoryMib: 65_536, threads: 4 },
  { processors: 3, memoryMib: 65_536, threads: 3 },
  { processors: 1, memoryMib: 65_536, threads: 2 },
  { processors: 8, memoryMib: 2_560, threads: 4 },
  { processors: 8, memoryMib: 2_559, threads: 3 },
  { processors: 8, memoryMib: 1_536, threads: 2 },
  { processors: 8, memoryMib: 256, threads: 2 },
])(
  'a machine with $processors processors and $memoryMib MiB runs $threads worker threads of 512 MiB',
  ({ threads, ...room }) => {
    expect(countThreads(512, room)).toBe(threads);
  },
);

test("the number of worker threads in a container depends on the container's memory limit", () => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(1_536 * 1_048_576);
  expect(countThreads(512)).toBe(2);
});

test.each([0, 18_446_744_073_709_552_000])('a container memory limit of %d bytes means no limit', (none) => {
  const spy = vi.spyOn(process, 'constrainedMemory').mockReturnValue(64 * 2 ** 40);
  const unlimited = countThreads(1);
  spy.mockReturnValue(none);
  expect(countThreads(1)).toBe(unlimited);
});

test('the memory limit in the Helm chart is enough for two threads and the rest of the process', async () => {
  const values = toJson(parse(await readFile('deploy/helm/holdfast/values.yaml', 'utf8')));
  const [, limitMib] = /^(\d+)Mi$/.exec(textAt(values, '/api/resources/limits/memory')) ?? [];
  expect(Number(limitMib)).toBeGreaterThanOrEqual(512 + 2 * 512);
});
