import { describe, expect, test } from 'vitest';
import type { CallEffect, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { asks, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Stage } from '../../support/builders/agents.ts';
import { playGraphs } from '../../support/builders/graph-tools.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';
import { decideLast } from '../../support/builders/runs.ts';

/* Agents whose node requires an approval of a call depending on the state at the time at which the call begins. */

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };
const RISKY = 'state.n != null && state.n > 5';

const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const charge = (key: string): readonly [string, Json] => ['charge', { key }];
const replies = [asks(look('slow'), charge('x')), 'done'];
const failing: Agent = { approve: { charge: RISKY }, deadline: '10s' };
const agent: Agent = { ...failing, onError: 'intervene' };

const toolsCalled = ({ calls }: Played): readonly string[] => calls.map(({ tool }) => tool);
const edit = ({ run }: Played, values: JsonObject): void => run.signal('edit', { values, by: UMA });
const retry = ({ run }: Played): void => run.signal('retry', { by: UMA });

/** Keeps the first tool call open until it is released. */
function slowTool() {
  let isHeld = true;
  return {
    next: (out: readonly CallEffect[]): number | null => (isHeld && out[0]?.request.kind === 'tool' ? null : 0),
    release: (): void => {
      isHeld = false;
    },
  };
}

/** Plays until the deadline of an agent expires during a call; another call could not begin meanwhile. */
function playLate(start: (stage: Stage) => Played): Played {
  const clock = slowTool();
  const played = start({ replies, limits: { maxConcurrency: 1 }, outside: { next: clock.next } });
  played.run.passTime(11_000);
  clock.release();
  played.run.passTime(1);
  expect(toolsCalled(played)).toEqual(['lookup']);
  return played;
}

/** Fails the first call of `charge`. */
function failOnce(failure: CallFailure): (request: ToolCallRequest) => Json {
  let count = 0;
  return ({ tool, args }) => {
    if (tool === 'charge' && count++ === 0) throw failure;
    return JSON.stringify(args);
  };
}

const declined = new CallFailure('TOOL_FAILED', 'declined');
const lost = new CallFailure('UNKNOWN_OUTCOME', 'lost');

/** Returns the status and the calls of a run before and after a person has approved its requests. */
function asksAndGoesOn(played: Played): readonly (readonly [string, readonly string[]])[] {
  const { run } = played;
  const before = [run.run.status, toolsCalled(played)] as const;
  decideLast(run, 'approve', { by: ADA });
  return [before, [run.run.status, toolsCalled(played)]];
}

/** The outcome of `asksAndGoesOn` if no call of `charge` is made without an approval. */
const askedAfter = (...tools: readonly string[]) => [
  ['waiting', tools],
  ['completed', [...tools, 'charge']],
];

describe('the approval rule of an agent is evaluated on the edited state', () => {
  test('the approval rule of an agent is evaluated on the edited state by a retry of the node that waits for a person', () => {
    const played = playLate((stage) => playAgent(agent, stage));
    edit(played, { n: 9 });
    retry(played);
    expect(asksAndGoesOn(played)).toEqual(askedAfter('lookup'));
  });

  test('the approval rule of an agent is evaluated on the edited state by a retry of the failed run', () => {
    const played = playLate((stage) => playAgent(failing, stage));
    played.run.reopen('edit', { values: { n: 9 }, by: UMA });
    played.run.reopen('retry');
    expect(asksAndGoesOn(played)).toEqual(askedAfter('lookup'));
  });

  test.each([
    ['has failed', declined],
    ['was possibly executed', lost],
  ])("an agent's approval rule is evaluated on the edited state by a retry of a call that %s", (_name, failure) => {
    const played = playAgent(agent, {
      replies,
      tools: { charge: { onFailure: 'intervene' } },
      tool: failOnce(failure),
    });
    edit(played, { n: 9 });
    retry(played);
    expect(asksAndGoesOn(played)).toEqual(askedAfter('lookup', 'charge'));
  });

  test('the approval rule of an agent is evaluated on the edited state by a resumed run before a call that was delayed by the pause', () => {
    const approve = { ...agent.approve, lookup: 'always' };
    const stage = { replies, tools: { charge: { onFailure: 'intervene' } }, tool: failOnce(declined) } as const;
    const played = playAgent({ ...agent, approve }, stage);
    played.run.signal('pause', { by: UMA });
    retry(played);
    edit(played, { n: 9 });
    decideLast(played.run, 'approve', { by: ADA });
    played.run.signal('resume', { by: UMA });
    expect(asksAndGoesOn(played)).toEqual(askedAfter('charge', 'lookup'));
  });

  test('the approval rule of an agent is evaluated on the edited state before a graph tool starts', () => {
    const tools = ['lookup', { graph: 'refund@1' }];
    const graphAgent: Agent = { ...agent, approve: { refund: RISKY }, tools };
    const asking = [asks(look('slow'), ['refund', { order: 'x' }]), 'done'];
    const played = playLate((stage) => playGraphs({ ...stage, agent: graphAgent, replies: asking }));
    edit(played, { n: 9 });
    retry(played);
    expect(Object.values(played.run.run.approvals)).toMatchObject([{ tool: 'refund', status: 'pending' }]);
    expect(toolsCalled(played)).toEqual(['lookup']);
    decideLast(played.run, 'reject', { by: ADA });
    expect([played.run.run.status, toolsCalled(played)]).toEqual(['completed', ['lookup']]);
  });
});

test('the approval rule of an agent does not require a second approval of a call that a person has approved', () => {
  const clock = slowTool();
  const played = playAgent(
    { ...agent, approve: { charge: 'always' } },
    { replies, limits: { maxConcurrency: 1 }, outside: { next: clock.next } },
  );
  decideLast(played.run, 'approve', { by: ADA });
  played.run.passTime(11_000);
  clock.release();
  played.run.passTime(1);
  edit(played, { n: 9 });
  retry(played);
  expect([played.run.run.status, toolsCalled(played)]).toEqual(['completed', ['lookup', 'charge']]);
  expect(Object.keys(played.run.run.approvals)).toHaveLength(1);
});

test('the answer to a model states that an unapproved call was possibly executed before', () => {
  const stage = { replies, tools: { charge: { onFailure: 'intervene' } }, tool: failOnce(lost) } as const;
  const played = playAgent(agent, stage);
  edit(played, { n: 9 });
  retry(played);
  decideLast(played.run, 'reject', { reason: 'too risky', by: ADA });
  expect(toolResultsIn(played)[1]).toBe(
    'The call was not approved, and was not made again. Nobody knows if it was made before. A person said: too risky',
  );
});
