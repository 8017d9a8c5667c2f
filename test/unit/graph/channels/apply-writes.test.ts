import { describe, expect, test } from 'vitest';
import { applyWrites } from '../../../../src/graph/channels/apply-writes.ts';
import type { WriteResult } from '../../../../src/graph/channels/apply-writes.ts';
import { compileChannel } from '../../../../src/graph/channels/channel.ts';
import { replaceValues } from '../../../../src/graph/channels/channel-sizes.ts';
import type { ValuesByChannel } from '../../../../src/graph/channels/channel-sizes.ts';
import { createReduceContext, OwnedLists } from '../../../../src/graph/channels/reducer.ts';
import type { ChannelDefinition } from '../../../../src/graph/definition/definition.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

/** Applies writes to channel `x`, one for each task, which are named t0, t1 … */
const apply = (definition: ChannelDefinition, current: Json, writes: readonly Json[]): WriteResult =>
  applyOwning(new OwnedLists(), definition, { current, writes });

function applyOwning(
  owned: OwnedLists,
  definition: ChannelDefinition,
  { current, writes }: { current: Json; writes: readonly Json[] },
): WriteResult {
  let messages = 0;
  const context = { owned, nextMessageId: () => `m${++messages}`, extension: null };
  const channels = new Map([['x', compileChannel('x', definition)]]);
  return applyWrites(
    channels,
    { x: current },
    writes.map((value, at) => ({ by: `t${at}`, node: `t${at}`, update: { x: value } })),
    context,
  );
}

const message = (id: string, content: string) => ({ id, role: 'user', content });

describe('a reducer', () => {
  test.each<[ChannelDefinition, Json, Json[], Json]>([
    [{}, 1, [2], 2],
    [{}, 1, [null], null],
    [{ reducer: 'append' }, ['a'], ['b', ['c', 'd'], { e: 1 }, [['f']]], ['a', 'b', 'c', 'd', { e: 1 }, ['f']]],
    [{ reducer: 'append' }, null, ['a'], ['a']],
    [{ reducer: 'union' }, ['x'], [['x', 'y'], { k: [1] }, [{ k: [1] }, 'y']], ['x', 'y', { k: [1] }]],
    [
      { reducer: 'merge' },
      { keep: 1, drop: 2, nest: { a: 1 } },
      [{ nest: { b: 2 }, drop: null }],
      { keep: 1, nest: { b: 2 } },
    ],
    [{ reducer: 'merge' }, null, [{ a: 1 }], { a: 1 }],
    [{ reducer: 'sum' }, 1, [5, -2], 4],
    [{ reducer: 'min' }, null, [9, 3], 3],
    [{ reducer: 'max' }, 50, [7, 90], 90],
    [{ reducer: 'and' }, true, [true, false], false],
    [{ reducer: 'or' }, null, [false, true], true],
    [{ reducer: { expr: "current == null ? update : current + ' > ' + update" } }, null, ['a', 'b'], 'a > b'],
    [{ reducer: 'append' }, ['in'], ['a', { $replace: ['b'] }, 'c'], ['b', 'c']],
    [{ ephemeral: true, reducer: 'append' }, ['old'], ['new'], ['new']],
  ])('%j makes a new value of %j and the writes %j', (...[definition, current, writes, expected]) => {
    expect(apply(definition, current, writes)).toMatchObject({ ok: true, channels: { x: expected } });
  });

  test.each<[Json, Json[], Json]>([
    [[message('1', 'hi')], [message('2', 'yo')], [message('1', 'hi'), message('2', 'yo')]],
    [[message('1', 'hi'), message('2', 'yo')], [message('1', 'again')], [message('1', 'again'), message('2', 'yo')]],
    [
      [message('1', 'a'), message('2', 'b')],
      [{ remove: '1' }, [{ remove: '2' }, message('2', 'anew')]],
      [message('2', 'anew')],
    ],
    [[message('1', 'a')], [[message('8', 'lost'), { remove: '*' }, message('9', 'kept')]], [message('9', 'kept')]],
    [[], [[message('1', 'first'), message('1', 'last')]], [message('1', 'last')]],
    [
      [],
      [
        [
          { role: 'user', content: 'p' },
          { role: 'user', content: 'p' },
        ],
      ],
      [message('m1', 'p'), message('m2', 'p')],
    ],
  ])('of messages makes a conversation of %j and the writes %j', (current, writes, expected) => {
    expect(apply({ reducer: 'messages' }, current, writes)).toMatchObject({ ok: true, channels: { x: expected } });
  });
});

describe('a channel refuses a write', () => {
  test.each<[ChannelDefinition, Json, Json[], string, RegExp, string[]]>([
    [{}, 0, [1, 2], 'INVALID_CONCURRENT_GRAPH_UPDATE', /"x".*t0 and t1/, ['t0', 't1']],
    [
      { reducer: 'append' },
      [],
      [{ $replace: [] }, 'a', { $replace: [] }],
      'INVALID_CONCURRENT_GRAPH_UPDATE',
      /t0 and t2/,
      ['t0', 't1', 't2'],
    ],
    [{ reducer: 'sum' }, 0, ['one'], 'CHANNEL_SCHEMA_VIOLATION', /a number, not a text/, ['t0']],
    [{ reducer: 'and' }, true, [1], 'CHANNEL_SCHEMA_VIOLATION', /true or false/, ['t0']],
    [{ reducer: 'merge' }, {}, [[1]], 'CHANNEL_SCHEMA_VIOLATION', /an object, not a list/, ['t0']],
    [{ reducer: 'append' }, 'text', ['a'], 'CHANNEL_SCHEMA_VIOLATION', /a list, not a text/, ['t0']],
    [{ reducer: 'union' }, { a: 1 }, ['a'], 'CHANNEL_SCHEMA_VIOLATION', /a list, not an object/, ['t0']],
    [{ schema: { type: 'integer', minimum: 0 } }, 1, [-5], 'CHANNEL_SCHEMA_VIOLATION', /"x".*schema/, ['t0']],
    [{ reducer: 'messages' }, [], [{ remove: 'zz' }], 'UNKNOWN_MESSAGE', /zz/, ['t0']],
    [
      { reducer: 'messages' },
      [],
      [{ role: 'robot', content: '' }],
      'CHANNEL_SCHEMA_VIOLATION',
      /role.*system, user, assistant, tool/,
      ['t0'],
    ],
    [{ reducer: 'messages' }, [], ['hi'], 'CHANNEL_SCHEMA_VIOLATION', /an object/, ['t0']],
    [{ reducer: { expr: 'current + update' } }, 'a', [1], 'EXPRESSION_FAILED', /current \+ update/, ['t0']],
  ])('of the definition %j with the value %j: %j', (...[definition, current, writes, code, message, culprits]) => {
    const applied = apply(definition, current, writes);
    expect(applied).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(message) }, culprits });
  });

  test('to a channel that is not declared', () => {
    const context = { owned: new OwnedLists(), nextMessageId: () => '', extension: null };
    expect(applyWrites(new Map(), {}, [{ by: 't', node: 't', update: { y: 1 } }], context)).toMatchObject({
      ok: false,
    });
  });
});

describe('lists that grow in place', () => {
  test('only lists that were made for the channel are changed', () => {
    const before = ['a'];
    const owned = new OwnedLists();
    const first = applyOwning(owned, { reducer: 'append' }, { current: before, writes: ['b'] });
    const list = first.ok ? (first.channels['x'] ?? null) : null;
    const second = applyOwning(owned, { reducer: 'append' }, { current: list, writes: ['c'] });
    expect(before).toEqual(['a']);
    expect(second.ok && second.channels['x']).toBe(list);
    expect(list).toEqual(['a', 'b', 'c']);
  });

  test('additions of a refused round are reverted', () => {
    const owned = new OwnedLists();
    const definition = { reducer: 'append', schema: { maxItems: 2 } } as const;
    const first = applyOwning(owned, definition, { current: [], writes: ['a'] });
    const list = first.ok ? (first.channels['x'] ?? null) : null;
    expect(applyOwning(owned, definition, { current: list, writes: ['b', 'c'] }).ok).toBe(false);
    expect(list).toEqual(['a']);
  });

  test('a change contains the appended items, or the new value', () => {
    expect(apply({ reducer: 'append' }, ['a'], ['b', ['c']])).toMatchObject({ changes: { x: { append: ['b', 'c'] } } });
    expect(apply({ reducer: 'append' }, ['a'], ['b', { $replace: ['c'] }])).toMatchObject({
      changes: { x: { set: ['c'] } },
    });
    expect(apply({ reducer: 'sum' }, 1, [2])).toMatchObject({ changes: { x: { set: 3 } } });
  });
});

test('without writes, channels stay the same object, so their sizes stay known', () => {
  const channels = new Map([['x', compileChannel('x', {})]]);
  const current = { x: 'text' };
  const applied = applyWrites(
    channels,
    current,
    [],
    createReduceContext(() => 'm'),
  );
  expect(applied.ok && applied.channels).toBe(current);
});

describe('the limit of all channels together', () => {
  const names = Array.from({ length: 9 }, (_, at) => `x${at}`);
  const channels = new Map(names.map((name) => [name, compileChannel(name, {})]));
  const large = 'x'.repeat(7_900_000);
  const write = (current: ValuesByChannel, update: ValuesByChannel): WriteResult =>
    applyWrites(
      channels,
      current,
      [{ by: 't', node: 't', update }],
      createReduceContext(() => 'm'),
    );
  const empty: ValuesByChannel = Object.fromEntries(names.map((name) => [name, null]));
  const eight = Object.fromEntries(names.slice(0, 8).map((name) => [name, large]));

  test('holds after values have been replaced past their reducers', () => {
    const full = write(empty, eight);
    if (!full.ok) throw new Error(full.error.message);
    expect(write(full.channels, { x8: large })).toMatchObject({ ok: false, error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(write(replaceValues(full.channels, { x0: null }), { x8: large }).ok).toBe(true);
    expect(write(replaceValues(full.channels, { x8: large }), { x0: 'y'.repeat(7_900_000) }).ok).toBe(false);
  });
});
