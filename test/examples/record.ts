import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../src/client/index.ts';
import { startStack } from '../../src/dev/stack.ts';
import { startLoopbackServer } from '../support/doubles/loopback-server.ts';
import { holdfast } from '../support/servers/command-line.ts';
import { withDiagram } from './readme-diagram.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';

/*
 * Plays an example on a real stack, and writes what it becomes: `graph.json`, the diagram in `README.md`, and
 * `recorded.json` for `holdfast eval`: `npm run record-examples -- FOLDER`.
 */

const pathOf = (folder: string, file: string): string =>
  fileURLToPath(new URL(`../../examples/${folder}/${file}`, import.meta.url));

const folder = process.argv[2] ?? '';
const scenario = SCENARIOS[folder];
if (!scenario) throw new RangeError(`Name one of ${Object.keys(SCENARIOS).join(', ')}`);
await record(scenario);

async function record({ graphs, input, answers, decisions }: Scenario): Promise<void> {
  const [graph] = graphs;
  await writeFile(pathOf(folder, 'graph.json'), `${JSON.stringify(graph, null, 2)}\n`);
  const readme = await readFile(pathOf(folder, 'README.md'), 'utf8');
  await writeFile(pathOf(folder, 'README.md'), withDiagram(readme, graph.toJSON()));
  const model = await startLoopbackServer();
  model.answers(...answers);
  const environment = Object.assign(process.env, { EXAMPLE: folder, MODEL_URL: model.url });
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-example-'));
  const stack = await startStack({
    config: fileURLToPath(new URL('recording.config.ts', import.meta.url)),
    dataDir,
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    environment,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    const as = (caller: keyof typeof stack.tokens) =>
      createClient({ baseUrl: stack.baseUrl, token: stack.tokens[caller] });
    const admin = as('admin');
    for (const one of graphs.toReversed()) await admin.graphs.publish(one.toJSON());
    const { id } = await as('user').runs.start({ graph: graph.toJSON().name, input });
    for (const { by, verdict, body } of decisions) {
      await as('user').runs.wait(id);
      const { items } = await as(by).approvals.list({ status: 'pending', mine: true }).page();
      for (const approval of items) await as(by).approvals.decide(approval, { ...body, decision: verdict });
    }
    await as('user').runs.wait(id);
    const tokens = join(dataDir, 'record.json');
    await writeFile(tokens, JSON.stringify({ baseUrl: stack.baseUrl, ...stack.tokens }));
    const file = pathOf(folder, 'recorded.json');
    const { stderr } = await holdfast(['promote', id, '--to', file, '--tokens-file', tokens]);
    process.stderr.write(stderr);
  } finally {
    await stack.stop();
    await model.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
