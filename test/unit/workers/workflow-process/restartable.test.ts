import { describe, expect, test } from 'vitest';
import type { RequestBody } from '../../../../src/workers/workflow-process/messages.ts';
import { ProcessEnded } from '../../../../src/workers/workflow-process/pending-requests.ts';
import type { PartInEnd } from '../../../../src/workers/workflow-process/pending-requests.ts';
import { createRestartable } from '../../../../src/workers/workflow-process/restartable.ts';
import type { WorkflowProcess } from '../../../../src/workers/workflow-process/start-workflow-process.ts';

const request = (executionRunId: string): RequestBody => ({ kind: 'dispose', executionRunId });

/** Processes in a row; each ends at its nth request, in which this execution has a part. */
function processes(...ends: readonly { readonly at: number; readonly part: PartInEnd }[]) {
  const asked: string[][] = [];
  const blamed: string[] = [];
  const next = (): WorkflowProcess => {
    const own: string[] = [];
    const end = ends[asked.push(own) - 1];
    return {
      hasEnded: false,
      stop: async () => undefined,
      async ask(body) {
        if (own.length === end?.at) throw new ProcessEnded('it burnt', 'bystander');
        own.push(body.kind === 'dispose' ? body.executionRunId : body.kind);
        if (own.length === end?.at) throw new ProcessEnded('it burnt', end.part);
        return { kind: 'done' };
      },
    };
  };
  const code = createRestartable(next(), request('begin'), {
    living: async () => next(),
    blame: (how, part) => void blamed.push(`${part}: ${how}`),
  });
  return { asked, blamed, code };
}

describe('when another execution has ended the process', () => {
  test('what is replayed begins again in the next one, and so on', async () => {
    const { asked, blamed, code } = processes({ at: 4, part: 'bystander' }, { at: 3, part: 'bystander' });
    for (const name of ['a', 'b', 'c']) await code.ask(request(name), true);
    await code.ask(request('d'), false);
    expect(asked).toEqual([
      ['begin', 'a', 'b', 'c'],
      ['begin', 'a', 'b'],
      ['begin', 'a', 'b', 'c', 'd'],
    ]);
    expect(blamed).toEqual([]);
  });

  test('what is beyond its history fails', async () => {
    const { asked, blamed, code } = processes({ at: 4, part: 'bystander' });
    await code.ask(request('a'), true);
    await code.ask(request('b'), false);
    await expect(code.ask(request('c'), false)).rejects.toThrow('it burnt');
    expect([asked, blamed]).toEqual([[['begin', 'a', 'b', 'c']], []]);
  });

  test('five times in a row, it fails', async () => {
    const { asked, code } = processes(...Array.from({ length: 9 }, () => ({ at: 1, part: 'bystander' as const })));
    await expect(code.ask(request('a'), true)).rejects.toThrow('it burnt');
    expect(asked).toHaveLength(5);
  });
});

test.each(['cause', 'suspect'] as const)('whose earlier request is the %s is blamed', async (part) => {
  const { asked, blamed, code } = processes({ at: 1, part });
  await expect(code.ask(request('a'), true)).rejects.toThrow('it burnt');
  expect(asked).toEqual([['begin']]);
  expect(blamed).toEqual([expect.stringMatching(`^${part}: .*it burnt`)]);
});

test.each(['cause', 'suspect'] as const)('the %s is blamed, and does not begin again', async (part) => {
  const { asked, blamed, code } = processes({ at: 3, part });
  await code.ask(request('a'), true);
  await expect(code.ask(request('b'), true)).rejects.toThrow('it burnt');
  expect(asked).toHaveLength(1);
  expect(blamed).toEqual([expect.stringMatching(`^${part}: .*it burnt`)]);
});
