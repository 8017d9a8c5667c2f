import { describe, expect, test } from 'vitest';
import { asks, play, playAgent, says } from '../support/builders/agents.ts';
import type { Played, Stage } from '../support/builders/agents.ts';
import { breaks, pays } from '../support/builders/undoing.ts';
import { CallFailure } from '../support/doubles/memory-shell.ts';

const HOUR = 60 * 60 * 1_000;
const POLICY = { roles: ['admin'], quorum: 2, excludeRequester: true, requireReason: true } as const;
const TERMS = { policy: POLICY, timeout: '2h' } as const;

/** The ways in which a graph can call the tool `notify`. */
const ways: readonly (readonly [string, (terms: object) => Played])[] = [
  ['a tool node', (terms) => playNodes({ a: { type: 'tool', tool: 'notify', args: { key: 'x' } } }, terms)],
  [
    'a tool node with calls',
    (terms) =>
      playNodes({ a: { type: 'tool', calls: 'chat', tools: ['notify'] } }, terms, {
        graph: {
          channels: {
            chat: {
              reducer: 'messages',
              default: [
                {
                  id: 'm',
                  role: 'assistant',
                  content: '',
                  toolCalls: [{ id: 'c', name: 'notify', args: { key: 'x' } }],
                },
              ],
            },
          },
        },
      }),
  ],
  [
    'an agent',
    (terms) =>
      playAgent(
        { tools: ['notify'] },
        { replies: [asks(['notify', { key: 'x' }]), says('done')], tools: { notify: terms } },
      ),
  ],
  [
    'a failed tool that falls back to it',
    (terms) =>
      playAgent(
        { tools: ['lookup'] },
        {
          replies: [asks(['lookup', { key: 'x' }]), says('done')],
          tools: { lookup: { onFailure: 'notify' }, notify: terms },
          tool: failingAt('lookup'),
        },
      ),
  ],
  ['a compensation', (terms) => playNodes({ a: pays('one'), c: breaks }, terms, { tool: failingAt('lookup') })],
];

function playNodes(nodes: object, terms: object, { graph = {}, ...stage }: Partial<Stage> = {}): Played {
  return play({ replies: [], tools: { notify: terms }, ...stage, graph: { ...graph, nodes: { ...nodes } } });
}

function failingAt(broken: string): NonNullable<Stage['tool']> {
  return ({ tool }) => {
    if (tool === broken) throw new CallFailure('TOOL_FAILED', 'broken');
    return { receipt: 'one' };
  };
}

const callsOf = ({ calls }: Played) => calls.filter(({ tool }) => tool === 'notify').length;
const approvalsOf = ({ run }: Played) => Object.values(run.run.approvals);

describe.each(ways)('a tool with a policy, called by %s', (_way, start) => {
  test('a tool with an approval policy requests an approval of the people in the policy, with the timeout of the tool', () => {
    const played = start({ approval: TERMS });
    expect(callsOf(played)).toBe(0);
    const [asked] = approvalsOf(played);
    expect(asked).toMatchObject({ status: 'pending', tool: 'notify', policy: POLICY });
    expect(Date.parse(asked?.expiresAt ?? '') - Date.parse(asked?.requestedAt ?? '')).toBe(2 * HOUR);
  });

  test('a tool with an approval policy is not called before the policy is met', () => {
    const played = start({ approval: TERMS });
    const approve = (sub: string, role: string, reason = 'fine'): void =>
      played.run.signal('approve', { by: { sub, roles: [role] }, reason });
    approve('ada', 'approver');
    approve('uma', 'admin');
    approve('eve', 'admin', ' ');
    approve('eve', 'admin');
    approve('eve', 'admin');
    expect(callsOf(played)).toBe(0);
    approve('bob', 'admin');
    expect(callsOf(played)).toBe(1);
  });

  test('a tool with an approval policy is not called when nobody decides in time', () => {
    const played = start({ approval: TERMS });
    played.run.passTime(3 * HOUR);
    expect([callsOf(played), approvalsOf(played)[0]?.status]).toEqual([0, 'expired']);
  });

  test('a tool with an approval policy requests an approval only if its condition is true', () => {
    expect(approvalsOf(start({ approval: { when: 'args.key.size() > 100', policy: POLICY } }))).toEqual([]);
  });
});

test('an approval condition that is not a boolean fails the node with an error that truncates its text', () => {
  const when = `args.key + "${'x'.repeat(1_000)}"`;
  const { run } = playNodes({ a: { type: 'tool', tool: 'notify', args: { key: 'x' } } }, { approval: { when } });
  expect(run.run.error).toMatchObject({ code: 'EXPRESSION_FAILED' });
  expect(run.run.error?.message.length).toBeLessThan(400);
});
