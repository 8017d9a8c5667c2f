import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { readTaskQueues, taskQueuesOf } from '../../../src/workers/task-queues.ts';

const tool = { description: '', parameters: true, execute: () => null };

describe('taskQueuesOf', () => {
  test("knows the engine's queue and each that a tool names", () => {
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
  ])('reads %j', (list, queues) => {
    expect(readTaskQueues(list, known)).toEqual(queues);
  });

  test('refuses a queue in which nothing ever waits, and suggests one', () => {
    expect(() => readTaskQueues('crm,payment', known)).toThrow(
      /"payment".*holdfast, payments, crm\. Did you mean "payments"/,
    );
  });
});
