import { expect, expectTypeOf, test } from 'vitest';
import type { ChannelValues } from '../../../src/builder/channel-update.ts';
import type { TypedRun } from '../../../src/client/index.ts';
import type { Message } from '../../../src/graph/definition/index.ts';
import type { Json, JsonObject } from '../../../src/graph/values/index.ts';
import { END, START, StateGraph } from '../../../src/index.ts';
import { runGraph } from '../../../src/testing/index.ts';

const channels = {
  last: { schema: { type: 'string' } },
  listed: { reducer: 'append', schema: { type: 'array', items: { type: 'string' } } },
  tagged: { reducer: 'union' },
  merged: { reducer: 'merge' },
  total: { reducer: 'sum' },
  least: { reducer: 'min' },
  most: { reducer: 'max', schema: { type: 'integer' } },
  all: { reducer: 'and' },
  some: { reducer: 'or' },
  talk: { reducer: 'messages' },
  own: { reducer: { expr: 'update' } },
} as const;

/** The values of channels before any write. */
interface First {
  readonly last: string | null;
  readonly listed: readonly string[];
  readonly tagged: readonly Json[];
  readonly merged: JsonObject;
  readonly total: number;
  readonly least: number | null;
  readonly most: number | null;
  readonly all: boolean | null;
  readonly some: boolean | null;
  readonly talk: readonly Message[];
  readonly own: Json;
}

const graph = new StateGraph({ name: 'typed', channels })
  .addNode('rest', { type: 'set' })
  .addSequence([START, 'rest', END]);

test('an unwritten channel has the initial value of its reducer, and the type of that value', async () => {
  const { state, output } = await runGraph(graph, {});
  expectTypeOf(state).toEqualTypeOf<First>();
  expectTypeOf(output).toEqualTypeOf<Partial<First> | null>();
  expect(state).toEqual({
    last: null,
    listed: [],
    tagged: [],
    merged: {},
    total: 0,
    least: null,
    most: null,
    all: null,
    some: null,
    talk: [],
    own: null,
  });
});

test('the output of a run has the same types in the client as in the builder', () => {
  expectTypeOf<TypedRun<typeof channels>['output']>().toEqualTypeOf<Partial<First> | null>();
});

test('a channel with a default begins with the default as its value', async () => {
  const given = new StateGraph({
    name: 'given',
    channels: {
      last: { schema: { type: 'string' }, default: 'new' },
      least: { reducer: 'min', default: 9 },
      all: { reducer: 'and', default: true },
    },
  })
    .addNode('rest', { type: 'set' })
    .addSequence([START, 'rest', END]);
  const { state } = await runGraph(given, {});
  expectTypeOf(state.last).toEqualTypeOf<string>();
  expectTypeOf(state.least).toEqualTypeOf<number>();
  expectTypeOf(state.all).toEqualTypeOf<boolean>();
  expect(state).toEqual({ last: 'new', least: 9, all: true });
});

test('a channel with an optional default may be null in the builder’s types', () => {
  interface Loose {
    readonly most: { readonly reducer: 'max'; readonly default?: 1 };
  }
  expectTypeOf<ChannelValues<Loose>>().toEqualTypeOf<{ readonly most: number | null }>();
});
