import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { developProject } from '../support/servers/developed-project.ts';
import type { DevelopedProject } from '../support/servers/developed-project.ts';

/* `holdfast dev`: its output about runs, and its reaction to changes. The tests depend on each other. */

vi.setConfig({ testTimeout: 120_000 });

const TOOLS = 'tools/refund-tools.ts';
const GRAPH = 'graphs/refund.ts';

let project: DevelopedProject;
beforeAll(async () => {
  project = await developProject('refund');
}, 120_000);
afterAll(async () => await project.stop());

const refund = async (order: string, euros: number) =>
  await project.holdfast('run', project.path(GRAPH), '--input', JSON.stringify({ order, euros }), '--quiet');

describe('holdfast dev', () => {
  test('holdfast dev publishes the graphs, and prints each event of a run', async () => {
    await project.untilLine(/^published refund, version 1 \(graphs\/refund\.ts\)$/);
    expect((await refund('A-1002', 300)).code).toBe(3);
    await project.untilLine(/^\d\d:\d\d:\d\d {2}refund \w{26} {2}started by uma$/);
    await project.untilLine(/lookup: lookup_order has answered in \d+ ms$/);
    await project.untilLine(
      /Node ask waits until \S+ for approver, but not who has asked, to decide: Pay back 300 euros for A-1002\? With \{"euros":300\}$/,
    );
    const command = /npx holdfast (.*)$/.exec(await project.untilLine(/npx holdfast approve/))?.[1] ?? '';
    expect((await project.holdfast(...command.split(' '))).code).toBe(0);
    await project.untilLine(/ask: ada says approve, it is approved$/);
    await project.untilLine(/completed: \{"receipt":"R-1",/);
  });

  test('holdfast dev reloads an edited tool', async () => {
    const began = performance.now();
    await project.edit(TOOLS, '`R-${', '`NEW-${');
    await project.untilLine(/^reloaded in \d+\.\d s \(tools\/refund-tools\.ts\)$/);
    const { stdout } = await refund('A-1001', 20);
    process.stdout.write(`an edited tool was used after ${Math.round(performance.now() - began)} ms\n`);
    expect(JSON.parse(stdout)).toMatchObject({ receipt: 'NEW-1' });
  });

  test('holdfast dev prints the location of an error in a tool, and continues with the previous code', async () => {
    await project.edit(TOOLS, 'export const lookupOrder', "throw new Error('at load');\nexport const lookupOrder");
    await project.untilLine(/^not reloaded, .*: at load \(.*\/tools\/refund-tools\.ts:\d+:\d+\)$/);
    expect((await refund('A-1001', 20)).code).toBe(0);
    // The same fault after another edit is not printed again.
    await project.edit(TOOLS, "throw new Error('at load');\n", "throw new Error('at load'); // still\n");
    await project.untilLine(/^still not reloaded, for the same reason \(tools\/refund-tools\.ts\)$/);
    await project.edit(TOOLS, "throw new Error('at load'); // still\n", '');
    await project.untilLine(/^reloaded in/);
  });

  test('holdfast dev does not reload for a file that neither the configuration nor a graph imports', async () => {
    const reloads = (): number => project.linesSoFar().filter((line) => line.startsWith('reloaded in')).length;
    const before = reloads();
    await project.edit('test/refund.test.ts', 'import', '// edited\nimport');
    await project.edit('package.json', '{', '{ ');
    await sleep(1_000);
    await project.edit(TOOLS, 'export const lookupOrder', '// edited\nexport const lookupOrder');
    await project.untilLine(/^reloaded in/);
    expect(reloads()).toBe(before + 1);
    expect(project.linesSoFar().filter((line) => /refund\.test|package\.json/.test(line))).toEqual([]);
  });

  test('holdfast dev publishes an edited graph, and prints the line of an error in it', async () => {
    await project.edit(GRAPH, "to: 'refuse' },", "to: 'refus' },");
    const fault = await project.untilLine(/error UNKNOWN_NODE/);
    expect(fault).toMatch(/graphs\/refund\.ts:43:\d+: error UNKNOWN_NODE: There is no node "refus"/);
    await project.edit(TOOLS, '// edited\n', '');
    await project.untilLine(/^reloaded in/);
    await project.edit(GRAPH, "to: 'refus' },", "to: 'refuse' },");
    await project.untilLine(/^graphs\/refund\.ts is valid again: refund, version 1 \(unchanged\)$/);
    expect(project.linesSoFar().filter((line) => line.includes('UNKNOWN_NODE'))).toHaveLength(1);
    await project.edit(GRAPH, 'are on their way', 'are coming');
    await project.untilLine(/^published refund, version 2 \(graphs\/refund\.ts\)$/);
  });

  test('holdfast dev prints that a call is retried, with time and reason', async () => {
    const execute = '  execute({ order, euros }, { key, logger }) {\n';
    const failing = "    if (euros === 30) throw new Error('shop is down');\n";
    await project.edit(TOOLS, execute, `  retry: { initialInterval: '5s' },\n${execute}${failing}`);
    await project.untilLine(/^reloaded in/);
    const running = refund('A-1001', 30);
    await project.untilLine(/Node pay makes attempt 2 of a call at \S+, after TOOL_FAILED shop is down$/);
    await project.edit(TOOLS, 'if (euros === 30)', 'if (euros === 31)');
    await project.untilLine(/completed: .*30 euros are/);
    expect((await running).code).toBe(0);
  });
});
