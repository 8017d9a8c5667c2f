import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { playRecording } from '../../../src/testing/index.ts';
import { toJson } from '../../../src/graph/values/index.ts';
import { validateGraph } from '../../../src/graph/validate/index.ts';
import { withDiagram } from '../../examples/readme-diagram.ts';
import { SCENARIOS } from '../../examples/scenarios.ts';

/* Each example is a folder with a graph in TypeScript and JSON, its tools, tests, a recorded run and a page. */

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, EXAMPLES), 'utf8');

test('each example with a page has a scenario that is recorded', () => {
  const pages = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('README.md'),
  );
  expect(pages.map((path) => path.slice(0, path.indexOf('/'))).toSorted()).toEqual(Object.keys(SCENARIOS).toSorted());
});

describe.each(Object.entries(SCENARIOS))('the example %s', (folder, { graphs: [graph, ...inner] }) => {
  test('has the JSON that its builder compiles to', () => {
    expect(JSON.parse(read(`${folder}/graph.json`))).toEqual(graph.toJSON());
  });

  test('has the diagram of its graph in its page', () => {
    const page = read(`${folder}/README.md`);
    expect(page).toBe(withDiagram(page, graph.toJSON()));
  });

  test('has a graph without issues in its configuration', async () => {
    const { default: config } = await import(new URL(`${folder}/holdfast.config.ts`, EXAMPLES).href);
    const { mcpServers, ...rest } = config;
    const names = Object.entries<{ readonly tools: object }>(mcpServers ?? {}).flatMap(([server, { tools }]) =>
      Object.keys(tools).map((tool) => `${server}.${tool}`),
    );
    const catalog = toCatalog(parseConfig(folder, rest));
    const issues = validateGraph(toJson(graph.toJSON()), {
      ...catalog,
      graphs: Object.fromEntries(inner.map((one) => [one.toJSON().name, one.toJSON()])),
    });
    expect(issues.filter(({ message }) => !names.some((name) => message.includes(name)))).toEqual([]);
  });

  test('has a recorded run that goes as recorded', () => {
    const recorded: unknown = JSON.parse(read(`${folder}/recorded.json`));
    expect(playRecording(recorded, { graph: graph.toJSON() })).toMatchObject({ divergence: null, changed: [] });
  });
});
