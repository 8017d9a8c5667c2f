import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { aJob, checkpointWhere, hasNextNodes, patchState } from '../../support/readers/api-states.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

/* State that includes compensated work is never continued: by forks, replays, threads or reopened runs. */

const { service, user, get, control, until } = useWorkingStack(startTestStack);

const reserves = aJob('reserve', { compensate: { tool: 'work', args: { job: 'give back' } } });
const channels = { log: { reducer: 'append' }, say: {} } as const;
const trip = aDefinition({
  name: 'trip',
  channels,
  output: ['log'],
  nodes: {
    hello: { type: 'set', write: { log: '{{ state.say }}' } },
    flight: reserves,
    hotel: aJob('pay'),
    mail: { type: 'set', write: { log: 'mail' } },
  },
});
const inside = aDefinition({ name: 'inside', channels, output: ['log'], nodes: { seat: reserves } });
const flight = { type: 'subgraph', graph: inside, write: { log: '{{ result.log[0] }}' } } as const;
const nested: GraphDefinition = { ...trip, nodes: { ...trip.nodes, flight } };

type Begin = (graph: GraphDefinition, over?: object) => Promise<string>;

const begin: Begin = async (graph, over = {}) => {
  const { status, body } = await user().post('/api/runs', { graph, input: { say: 'hi' }, ...over });
  expect(status).toBe(201);
  return textAt(body, '/id');
};
const failing: Begin = async (graph, over) => {
  service().refuse('pay');
  return await begin(graph, over);
};

/** Runs whose reservation is compensated, or is about to be. */
const SITUATIONS: Readonly<Record<string, Begin>> = {
  'has failed': async (graph, over) => {
    const id = await failing(graph, over);
    await until(id, 'failed');
    return id;
  },
  'has failed, and its compensation too': async (graph, over) => {
    service().refuse('give back');
    const id = await failing(graph, over);
    await until(id, 'failed');
    return id;
  },
  'is being compensated': async (graph, over) => {
    const held = service().hold('give back');
    const id = await failing(graph, over);
    await held;
    return id;
  },
  'was canceled': async (graph, over) => {
    const held = service().hold('pay');
    const id = await begin(graph, over);
    const release = await held;
    await control(id, 'cancel');
    await until(id, 'canceled');
    release();
    return id;
  },
};

/** The options of a fork apart from its checkpoint. */
const FORKS: Readonly<Record<string, object>> = {
  'as it is': {},
  'with values': { values: { log: ['corrected'] } },
  'as another node': { asNode: 'hotel' },
  'with another graph': { graph: { ...trip, name: 'other' } },
};

const REFUSED = aProblem(409, 'NOT_ALLOWED_NOW');

const before = async (id: string, node: string) => await checkpointWhere(user(), id, hasNextNodes(node));
const fork = async (id: string, checkpoint: string, over: object = {}) =>
  await control(id, 'fork', { checkpoint, ...over });

describe.each(Object.entries({ 'its own graph': trip, 'a subgraph': nested }))(
  'a compensated call of %s',
  (where, graph) => {
    test.each(Object.keys(SITUATIONS))(
      'a run that %s can not be forked after a compensated call',
      async (situation) => {
        const id = (await SITUATIONS[situation]?.(graph)) ?? '';
        const sound = await before(id, 'flight');
        const nodes = where === 'a subgraph' ? 'flight/seat' : 'flight';
        for (const over of Object.values(FORKS)) {
          const refused = await fork(id, await before(id, 'hotel'), over);
          expect({ over, ...refused }).toMatchObject(REFUSED);
          expect(textAt(refused.body, '/detail')).toContain(`(${nodes})`);
          expect(textAt(refused.body, '/detail')).toContain(`the newest checkpoint that will do is ${sound}`);
        }
        const { status, body } = await fork(id, sound);
        expect(status).toBe(201);
        expect(await until(textAt(body, '/id'), 'completed')).toMatchObject({
          output: { log: ['hi', 'reserve', 'pay', 'mail'] },
        });
        expect(service().calls.filter(({ job }) => job === 'reserve')).toHaveLength(2);
      },
    );
  },
);

describe('the state that a compensated run leaves to its thread', () => {
  const ended = Object.keys(SITUATIONS).filter((situation) => situation !== 'is being compensated');
  test.each(ended)('a compensated run that %s leaves its thread the state before the call', async (situation) => {
    const threadId = situation.replaceAll(/\W/g, '-');
    await SITUATIONS[situation]?.(trip, { threadId });
    const left = { values: { log: ['hi'], say: 'hi' }, next: ['flight'] };
    expect(await get(`/api/threads/${threadId}/state`)).toMatchObject(left);
    const next = await begin(trip, { threadId });
    expect(await until(next, 'completed')).toMatchObject({ output: { log: ['hi', 'hi', 'reserve', 'pay', 'mail'] } });
  });

  test('a run that interrupts a compensated run continues from the state before the compensated call', async () => {
    const held = service().hold('pay');
    const id = await begin(trip, { threadId: 'interrupted' });
    const release = await held;
    const next = await begin(trip, { threadId: 'interrupted', onBusy: 'interrupt' });
    await until(id, 'canceled');
    release();
    expect(await until(next, 'completed')).toMatchObject({ output: { log: ['hi', 'hi', 'reserve', 'pay', 'mail'] } });
    expect(service().done.filter((job) => job === 'give back')).toHaveLength(1);
  });

  test('an edit does not restore the state that a compensation has undone in its thread', async () => {
    const id = await failing(trip, { threadId: 'edited' });
    await until(id, 'failed');
    expect((await patchState(user(), id, { values: { say: 'bye' } })).status).toBe(200);
    expect(await get('/api/threads/edited/state')).toMatchObject({ values: { log: ['hi'], say: 'hi' } });
  });
});

test('a compensated run refuses retry, replan, skip and edit as a node', async () => {
  const id = await failing(trip);
  await until(id, 'failed');
  for (const [name, body] of Object.entries({
    retry: {},
    replan: { node: 'mail' },
    skip: { node: 'hotel', output: 1 },
  })) {
    expect({ name, ...(await control(id, name, body)) }).toMatchObject(REFUSED);
  }
  expect((await patchState(user(), id, { asNode: 'hotel' })).status).toBe(409);
});

describe('a fork that began before its parent was compensated', () => {
  /** Forks after the reservation while its payment is open, then makes the payment fail. */
  async function forkedEarly(): Promise<{ readonly parent: string; readonly child: string }> {
    const held = service().hold('pay');
    const parent = await begin(trip);
    const release = await held;
    const { status, body } = await fork(parent, await before(parent, 'hotel'));
    expect(status).toBe(201);
    const child = textAt(body, '/id');
    await until(child, 'completed');
    service().refuse('pay');
    release();
    await until(parent, 'failed');
    return { parent, child };
  }

  test('a fork that began before its parent was compensated can not be forked, nor can its own fork', async () => {
    const { parent, child } = await forkedEarly();
    const refused = await fork(child, await before(child, 'mail'));
    expect(refused).toMatchObject(REFUSED);
    expect(textAt(refused.body, '/detail')).toContain(`${await before(parent, 'flight')} of run ${parent}`);
  });

  test('a fork that began before its parent was compensated can not be reopened, but its state can be edited', async () => {
    const { child } = await forkedEarly();
    const reopened = await patchState(user(), child, { asNode: 'hotel' });
    expect(reopened).toMatchObject(REFUSED);
    expect((await patchState(user(), child, { values: { say: 'bye' } })).status).toBe(200);
  });
});

describe('a replay of a compensated run', () => {
  const replayed = async (id: string, body: object): Promise<string> => {
    const answer = await control(id, 'replay', body);
    expect(answer.status).toBe(201);
    return textAt(answer.body, '/id');
  };

  test.each<[string, object]>([
    ['can be forked only before the undone call', {}],
    [
      'can not be forked after the point where it diverged from its recording',
      { graph: { ...trip, nodes: { ...trip.nodes, mail: reserves } } },
    ],
  ])('a replay of a compensated run %s', async (_, body) => {
    const id = await failing(trip);
    await until(id, 'failed');
    const copy = await replayed(id, body);
    expect(await fork(copy, await before(copy, 'hotel'))).toMatchObject({ status: 409 });
    const { status, body: sound } = await fork(copy, await before(copy, 'flight'));
    expect(status).toBe(201);
    await until(textAt(sound, '/id'), 'completed');
  });
});

test('a checkpoint of one run is not found in its fork or parent', async () => {
  const id = await failing(trip);
  await until(id, 'failed');
  const child = textAt((await fork(id, await before(id, 'flight'))).body, '/id');
  await until(child, 'completed');
  expect(await fork(child, await before(id, 'hotel'))).toMatchObject({ status: 404 });
});
