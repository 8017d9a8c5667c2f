import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  approvalId,
  approvalTimerId,
  callKey,
  checkpointId,
  compensationKey,
  executionKey,
  interventionId,
  messageId,
  nodeOfIntervention,
  nodeDeadlineTimerId,
  parseApprovalId,
  parseCallKey,
  shortenId,
  parseCheckpointId,
  taskKey,
  unknownCompensationId,
  waitTimerId,
} from '../../../../src/graph/run/ids.ts';
import type { ExecutionPath, NodePath, TaskPath } from '../../../../src/graph/run/ids.ts';
import { parsePointer, toPointer } from '../../../../src/graph/values/json-pointer.ts';
import { canonicalJson } from '../../../../src/graph/values/compare-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const runId = fc.stringMatching(/^[0-9A-Za-z.-]{1,26}$/);
const numbered = fc.record({ runId, number: fc.integer({ min: 1, max: 1_000_000 }) });

const few = fc.constantFrom(0, 1, 11);
const node = fc.constantFrom('a', 'a1', 'a-1', 'a_1');
const key = fc.tuple(node, fc.option(few, { nil: undefined })).map(([of, index]) => taskKey(of, index));
const task = fc.record({ key, visit: few, retryRound: few });
const call = fc.record({ key, visit: few, retryRound: few, number: few });
const around = fc.array(task.map(executionKey), { maxLength: 2 });

/** Finds different things with the same id. Their domain is small, so that most are similar. */
function clashesAmong<T extends Json>(things: fc.Arbitrary<T>, idOf: (thing: T) => string): string[] {
  const byId = new Map<string, string>();
  return fc.sample(things, { numRuns: 2_000, seed: 7 }).flatMap((thing) => {
    const id = idOf(thing);
    const described = canonicalJson(thing);
    const other = byId.get(id) ?? described;
    byId.set(id, described);
    return other === described ? [] : [`${id}: ${other} and ${described}`];
  });
}

describe('an id', () => {
  test('the id of a checkpoint or an approval contains its run and number', () => {
    fc.assert(
      fc.property(numbered, (made) => {
        expect(parseCheckpointId(checkpointId(made))).toEqual(made);
        expect(parseApprovalId(approvalId(made))).toEqual(made);
        expect(parseCheckpointId(approvalId(made))).toBeNull();
        expect(parseApprovalId(checkpointId(made))).toBeNull();
      }),
    );
  });

  test('the key of a call of the run’s own graph is parsed into its parts', () => {
    fc.assert(
      fc.property(runId, call, (run, made) => {
        const { visit, number, retryRound } = made;
        const task = shortenId(made.key);
        expect(parseCallKey(callKey(run, [], made, number))).toEqual({ runId: run, task, visit, number, retryRound });
      }),
    );
  });

  test('the id of an intervention contains its node and the nodes around it; that of a compensation does not', () => {
    const execution = { key: taskKey('pay', 2), visit: 11 };
    const outer = executionKey({ key: taskKey('a-1', 0), visit: 1, retryRound: 3 });
    for (const made of [null, 4])
      expect(nodeOfIntervention(interventionId([outer], execution, made))).toEqual({ node: 'pay', path: ['a-1'] });
    expect(nodeOfIntervention(interventionId([], execution, null))).toEqual({ node: 'pay', path: [] });
    const task = { node: 'pay', visit: 1, path: ['a'] };
    for (const other of ['', 'pay', unknownCompensationId(task)]) expect(nodeOfIntervention(other)).toBeNull();
  });

  test.each(['', 'R', 'R:n:1:0', 'R:n:1:0:0:0', 'R::1:0:0', ':n:1:0:0', 'R:n:x:0:0'])(
    'an id that no call has, such as "%s", is not parsed as a call key',
    (id) => {
      expect(parseCallKey(id)).toBeNull();
    },
  );

  test.each(['', 'R', 'R.c', '.c1', 'R.c0', 'R.c01', 'R.c1e3', 'R.c1 ', 'R.a1.timeout'])(
    'an id that no run has made, such as "%s", is not parsed as a checkpoint id',
    (id) => {
      expect(parseCheckpointId(id)).toBeNull();
      expect(parseApprovalId(id.replace('c', 'a'))).toBeNull();
    },
  );

  test('different tasks, calls, timers and messages have different ids', () => {
    expect(clashesAmong(fc.tuple(node, few), ([of, index]) => taskKey(of, index))).toEqual([]);
    expect(clashesAmong(task, executionKey)).toEqual([]);
    expect(clashesAmong(fc.tuple(around, call), ([path, of]) => callKey('R', path, of, of.number))).toEqual([]);
    expect(clashesAmong(fc.tuple(around, key), ([path, of]) => interventionId(path, { key: of, visit: 1 }, 1))).toEqual(
      [],
    );
    expect(clashesAmong(around, waitTimerId)).toEqual([]);
    expect(clashesAmong(fc.tuple(around, few), ([path, at]) => nodeDeadlineTimerId(path, at))).toEqual([]);
    expect(clashesAmong(fc.tuple(around, few), ([path, number]) => messageId('R', path, number))).toEqual([]);
  });

  test('the id of a call never equals that of a compensation, and the id of an approval never equals that of its timer', () => {
    fc.assert(
      fc.property(around, call, call, numbered, (...[path, undone, other, approval]) => {
        expect(compensationKey(callKey('R', path, undone, undone.number))).not.toBe(
          callKey('R', path, other, other.number),
        );
        expect(parseApprovalId(approvalTimerId(approvalId(approval)))).toBeNull();
      }),
    );
  });
});

test('a JSON pointer made from a path leads along this path', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '') })), (path) => {
      expect(parsePointer(toPointer(path))).toEqual(path);
    }),
  );
});

describe('shortenId', () => {
  const long = 'a'.repeat(161);

  test('a shortened id keeps up to 160 characters', () => {
    expect(shortenId('a'.repeat(160))).toBe('a'.repeat(160));
  });

  test('longer ids are shortened, and stay unique', () => {
    expect(shortenId(long)).toMatch(/^a{90}~[0-9a-f]{64}$/);
    expect(shortenId(long)).toBe(shortenId(long));
    expect(shortenId(`${long}b`)).not.toBe(shortenId(`${long}c`));
  });
});

test('the types of task key paths, execution key paths and node paths are not assignable to each other', () => {
  expectTypeOf<TaskPath>().not.toExtend<ExecutionPath | NodePath>();
  expectTypeOf<ExecutionPath>().not.toExtend<TaskPath | NodePath>();
  expectTypeOf<NodePath>().not.toExtend<TaskPath | ExecutionPath>();
});
