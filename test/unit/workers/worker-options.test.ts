import { describe, expect, test } from 'vitest';
import { cachedRuns, readTaskQueues, taskQueuesOf, readWorkerDeployment } from '../../../src/workers/worker-options.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const MIB = 1_048_576;

describe('cachedRuns', () => {
  test.each([
    [4_096, 3_896],
    [1_024, 824],
    [205, 10],
    [64, 10],
  ])('a worker with a heap of %d MiB caches %d runs', (mib, runs) => {
    expect(cachedRuns({}, mib * MIB)).toBe(runs);
    expect(cachedRuns({ HOLDFAST_CACHED_RUNS: '' }, mib * MIB)).toBe(runs);
  });

  test('the number of cached runs of a worker can be set in the environment', () => {
    expect(cachedRuns({ HOLDFAST_CACHED_RUNS: '20000' }, 64 * MIB)).toBe(20_000);
  });

  test.each(['9', '-1', '10.5', 'many', '1e999'])(
    'the environment can not set the number of cached runs to %s',
    (given) => {
      expect(() => cachedRuns({ HOLDFAST_CACHED_RUNS: given })).toThrow(
        `HOLDFAST_CACHED_RUNS must be a whole number, 10 or more; it is "${given}"`,
      );
    },
  );
});

const tool = { description: '', parameters: true, execute: () => null };

describe('taskQueuesOf', () => {
  test("a worker polls the engine's task queue and each task queue that a tool names", () => {
    const config = parseConfig('here', {
      tools: [
        { ...tool, name: 'a', taskQueue: 'payments' },
        { ...tool, name: 'b' },
        { ...tool, name: 'c', taskQueue: 'payments' },
        { ...tool, name: 'd', taskQueue: 'holdfast' },
      ],
      mcpServers: { crm: { command: 'crm', tools: { find: { taskQueue: 'crm' } } }, files: { command: 'files' } },
    });
    expect(taskQueuesOf(config)).toEqual(['holdfast', 'payments', 'crm']);
  });
});

describe('readTaskQueues', () => {
  const known = ['holdfast', 'payments', 'crm'];

  test.each<[string | undefined, readonly string[]]>([
    [undefined, ['holdfast']],
    ['', ['holdfast']],
    ['payments', ['payments']],
    [' crm , payments,crm,', ['crm', 'payments']],
  ])('a worker reads its task queues from %j', (list, queues) => {
    expect(readTaskQueues(list, known)).toEqual(queues);
  });

  test('a worker refuses a task queue that no tool names, and suggests one', () => {
    expect(() => readTaskQueues('crm,payment', known)).toThrow(
      /"payment".*holdfast, payments, crm\. Did you mean "payments"/,
    );
  });
});

const named = { TEMPORAL_DEPLOYMENT_NAME: 'holdfast', TEMPORAL_WORKER_BUILD_ID: '2026-11-22' };

describe('readWorkerDeployment', () => {
  test('a worker pins runs to the deployment version that the environment names', () => {
    expect(readWorkerDeployment(named)).toEqual({
      useWorkerVersioning: true,
      version: { deploymentName: 'holdfast', buildId: '2026-11-22' },
      defaultVersioningBehavior: 'PINNED',
    });
  });

  test.each([{}, { TEMPORAL_DEPLOYMENT_NAME: '', TEMPORAL_WORKER_BUILD_ID: '' }])(
    'a worker has no deployment version with %j',
    (env) => {
      expect(readWorkerDeployment(env)).toBeNull();
    },
  );

  test.each(Object.keys(named))('a worker refuses a deployment version that lacks %s', (name) => {
    expect(() => readWorkerDeployment({ ...named, [name]: undefined })).toThrow('go together');
  });
});
