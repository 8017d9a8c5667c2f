import { expect, test } from 'vitest';
import type { OnErrorDefinition } from '../../src/graph/definition/common-fields.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';
import { textAt } from '../support/readers/json-at.ts';

/*
 * Once a superstep can't succeed any more, none of its tasks begins. A retry begins those, and repeats none that has
 * finished.
 */

interface Charges {
  readonly run: MemoryRun;
  readonly made: readonly string[];
}

/** Charges five customers, two at a time; the card of the second one is declined once. */
function charge(onError?: OnErrorDefinition): Charges {
  const made: string[] = [];
  const definition = aDefinition({
    channels: { log: { reducer: 'append' }, rejected: { reducer: 'append' } },
    nodes: {
      pay: {
        type: 'tool',
        tool: 'charge',
        args: { key: '{{ item }}' },
        write: { log: '{{ item }}' },
        ...(onError && { onError }),
      },
      aside: { type: 'set', write: { rejected: 'one' } },
    },
    edges: [{ from: '__start__', forEach: '["a", "b", "c", "d", "e"]', to: 'pay', maxConcurrency: 2 }],
  });
  const run = runInMemory(
    { definition, catalog: aCatalog(), input: {} },
    {
      tool({ args }) {
        const key = textAt(args, '/key');
        made.push(key);
        if (key === 'b' && made.filter((one) => one === 'b').length === 1)
          throw new CallFailure('TOOL_FAILED', 'declined');
        return 'paid';
      },
    },
  );
  return { run, made };
}

test('a final failure lets started tasks finish, and no other task starts', () => {
  const { run, made } = charge();
  expect(run.run.status).toBe('failed');
  expect(made.length).toBeLessThan(5);
  expect(made).toContain('b');
});

test('a retry starts the remaining tasks of a superstep, and repeats none that has finished', () => {
  const { run, made } = charge();
  run.reopen('retry');
  expect(run.run.status).toBe('completed');
  expect(run.run.output).toMatchObject({ log: ['a', 'b', 'c', 'd', 'e'] });
  expect(made.toSorted()).toEqual(['a', 'b', 'b', 'c', 'd', 'e']);
});

test('a failure that waits for a person does not stop other tasks from starting', () => {
  const { run, made } = charge('intervene');
  expect(run.run.status).toBe('waiting');
  expect(made.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a failure that onError diverts does not stop other tasks from starting', () => {
  const { run, made } = charge({ to: 'aside' });
  expect(run.run.output).toMatchObject({ log: ['a', 'c', 'd', 'e'], rejected: ['one'] });
  expect(made.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
});
