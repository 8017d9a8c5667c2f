import { describe, expect, test } from 'vitest';
import { applyWrites } from '../../src/graph/channels/apply-writes.ts';
import type { WriteResult } from '../../src/graph/channels/apply-writes.ts';
import type { Channels } from '../../src/graph/channels/channel-sizes.ts';
import { compileChannel } from '../../src/graph/channels/channel.ts';
import { OwnedLists } from '../../src/graph/channels/reducer.ts';
import type { ChannelDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { MAX_VALUE_BYTES } from '../../src/graph/values/json-size.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const HALF = 'x'.repeat(MAX_VALUE_BYTES / 2);
const both: Json = ['{{ state.half }}', '{{ state.half }}'];
const channels = { half: { default: HALF }, log: { reducer: 'append' }, other: {}, rows: {} } as const;
const catalog = aCatalog({ nodeTypes: { index: { schema: true, effect: 'idempotent' } } });

const indexes: NodeDefinition = JSON.parse(JSON.stringify({ type: 'index', rows: both }));

/** Runs nodes while the channel `half` holds half of what is allowed. Nothing answers their calls. */
const playNodes = (nodes: Record<string, NodeDefinition>): MemoryRun =>
  runInMemory({ definition: aDefinition({ channels, nodes }), catalog, input: {} }, {});

describe('values above the size limit', () => {
  test.each<[string, NodeDefinition, string]>([
    ['arguments of a tool', { type: 'tool', tool: 'lookup', args: { key: 'k', value: both } }, 'args.value.1'],
    ['arguments of a function', { type: 'function', function: 'double', args: { both } }, 'args.both.1'],
    ['a prompt', { type: 'llm', prompt: '{{ state.half }} {{ state.half }}' }, 'prompt'],
    ['the prompt of an agent', { type: 'agent', prompt: '{{ state.half }} {{ state.half }}' }, 'prompt'],
    ['fields of a custom node', indexes, 'rows.1'],
    ['the details of an approval', { type: 'approval', title: 'May I?', details: both }, 'details.1'],
    ['an update', { type: 'set', write: { other: both } }, 'write.other.1'],
    [
      'an update of several channels',
      { type: 'set', write: { other: '{{ state.half }}', rows: '{{ state.half }}' } },
      'write.rows',
    ],
  ])('a value above the size limit fails its node before a call is scheduled: %s', (_what, large, named) => {
    const { run, events } = playNodes({ large });
    expect(run.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', node: 'large', step: 0 });
    expect(run.error?.message).toContain(named);
    expect(run.error?.message).toContain(String(MAX_VALUE_BYTES));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['node.started', 'node.failed', 'run.failed']),
    );
    expect([run.calls, run.approvals, run.timers]).toEqual([{}, {}, {}]);
  });

  test('a value above the size limit makes its node follow its onError', () => {
    const { run } = playNodes({
      large: {
        type: 'tool',
        tool: 'lookup',
        args: { key: 'k', value: both },
        onError: { to: 'after', write: { log: '{{ error.code }} {{ error.node }}' } },
      },
      after: { type: 'set', write: { log: 'after' } },
    });
    expect(run.error).toBeNull();
    expect(run).toMatchObject({
      status: 'completed',
      root: { channels: { log: ['PAYLOAD_TOO_LARGE large', 'after'] } },
    });
  });

  test('a value above the size limit inside a subgraph fails at the path of the inner node', () => {
    const inside = aDefinition({ name: 'inside', channels, nodes: { large: { type: 'set', write: { other: both } } } });
    const { run, events } = playNodes({ outer: { type: 'subgraph', graph: inside } });
    expect(run.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'node.failed', path: ['outer'], node: 'large' }));
  });
});

/** Applies one write of channel `x`. */
function write(definition: ChannelDefinition, current: Channels, ...updates: readonly Json[]): WriteResult {
  const writes = updates.map((update, at) => ({ by: `t${at}`, node: `n${at}`, update: { x: update } }));
  const context = { owned: new OwnedLists(), nextMessageId: () => 'm', extension: null };
  return applyWrites(new Map([['x', compileChannel('x', definition)]]), current, writes, context);
}

function written(definition: ChannelDefinition, current: Channels, ...updates: readonly Json[]): Channels {
  const applied = write(definition, current, ...updates);
  if (!applied.ok) throw new Error(applied.error.message);
  return applied.channels;
}

const PART = 'y'.repeat(MAX_VALUE_BYTES / 4);
const message = (id: string): Json => ({ id, role: 'user', content: PART });

describe('a channel', () => {
  test.each<[string, ChannelDefinition, (at: number) => Json]>([
    ['append', { reducer: 'append' }, () => PART],
    ['union', { reducer: 'union' }, (at) => `${PART}${at}`],
    ['merge', { reducer: 'merge' }, (at) => ({ [`key${at}`]: PART })],
    ['messages', { reducer: 'messages' }, (at) => message(`m${at}`)],
  ])(
    'a channel with the reducer %s grows up to the size limit, and keeps its value when a write is refused',
    (_reducer, definition, update) => {
      const full = [0, 1, 2].reduce<Channels>((current, at) => written(definition, current, update(at)), { x: null });
      const before = JSON.stringify(full).length;
      expect(write(definition, full, update(3))).toMatchObject({
        ok: false,
        error: { code: 'PAYLOAD_TOO_LARGE', node: 'n0', message: expect.stringContaining('Channel "x"') },
        culprits: ['t0'],
      });
      expect(JSON.stringify(full)).toHaveLength(before);
    },
  );

  test('a channel that several tasks together grow above the size limit fails all of these tasks', () => {
    const applied = write({ reducer: 'append' }, { x: [] }, PART, PART, PART, PART);
    expect(applied).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' }, culprits: ['t0', 't1', 't2', 't3'] });
  });

  test('a channel whose parts are replaced does not grow', () => {
    const turns = [...Array(10).keys()];
    const merged = turns.reduce<Channels>((now) => written({ reducer: 'merge' }, now, { k: PART }), { x: null });
    const said = turns.reduce<Channels>((now) => written({ reducer: 'messages' }, now, message('1')), { x: null });
    expect([merged, said]).toEqual([{ x: { k: PART } }, { x: [message('1')] }]);
  });

  test('a channel above the size limit can shrink', () => {
    const full = written({ reducer: 'append' }, { x: [] }, PART, PART, PART);
    expect(write({ reducer: 'append' }, full, PART).ok).toBe(false);
    expect(written({ reducer: 'append' }, full, 'small', { $replace: ['empty'] }, 'again')).toEqual({
      x: ['empty', 'again'],
    });
  });

  test('a channel that grows at each step is not measured at each step', () => {
    let looks = 0;
    const watched = new Proxy({ a: 1 }, { ownKeys: (target) => (looks++, Reflect.ownKeys(target)) });
    const first = written({ reducer: 'append' }, { x: [] }, watched);
    const once = looks;
    written({ reducer: 'append' }, written({ reducer: 'append' }, first, 'b'), 'c');
    expect([once > 0, looks]).toEqual([true, once]);
  });
});
