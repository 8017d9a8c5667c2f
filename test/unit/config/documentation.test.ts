import { describe, expect, test } from 'vitest';
import contextExample from '../../../examples/context/holdfast.config.ts';
import mcpExample from '../../../examples/mcp/holdfast.config.ts';
import ownModelExample from '../../../examples/models/own-model.config.ts';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { runGraph, scriptedModel } from '../../../src/testing/index.ts';
import { createOwnModel } from '../../../src/activities/models/own-model.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { aModelContext, aModelQuestion } from '../../support/builders/call-builders.ts';
import { aGraphOf } from '../../support/readers/api-runs.ts';
import { codeIn, readFile } from '../../support/readers/documentation.ts';

const blocks = codeIn('docs/tools.md', 'ts');

describe('the examples of docs/tools.md', () => {
  test.each(
    ['http-tool', 'define-tool', 'loyalty-tools', 'holdfast.config'].map((name, index) => [name, index] as const),
  )('docs/tools.md contains the code of the example %s.ts', (name, index) => {
    expect(blocks[index]).toBe(readFile(`examples/tools/${name}.ts`));
  });

  test('docs/tools.md contains no other code than that of its examples', () => {
    expect(blocks).toHaveLength(4);
  });
});

describe.each([
  ['models', 'models/own-model.config.ts', ownModelExample],
  ['context', 'context/holdfast.config.ts', contextExample],
  ['mcp', 'mcp/holdfast.config.ts', mcpExample],
] as const)('the configuration in docs/%s.md', (page, file, config) => {
  test('a configuration in the documentation equals that of its example, which can be loaded', () => {
    expect(codeIn(`docs/${page}.md`, 'ts')).toEqual([readFile(`examples/${file}`)]);
    expect(() => parseConfig(file, config)).not.toThrow();
  });
});

describe('docs/models.md', () => {
  test('docs/models.md contains models that a configuration accepts', () => {
    const counts = codeIn('docs/models.md', 'jsonc').map((shown) => {
      const json = shown.replaceAll(/,(?=\s*[}\]])/g, '');
      return Object.keys(parseConfig('docs/models.md', JSON.parse(json)).models).length;
    });
    expect(counts).toEqual([4, 2]);
  });

  test('docs/models.md contains an edge that has a text which was cut off written again', async () => {
    const edge = codeIn('docs/models.md', 'json').find((shown) => shown.includes('"from"')) ?? '';
    const write: NodeDefinition = { type: 'llm', prompt: 'Write', write: 'reply' };
    const begin = { from: '__start__', to: 'write' };
    const graph = { name: 'writing', channels: { reply: {} }, nodes: { write }, edges: [begin, JSON.parse(edge)] };
    const model = scriptedModel([{ text: 'Once', finishReason: 'length' }, 'Once upon a time.']);
    const run = await runGraph(graph, {}, { models: { default: model } });
    expect(run).toMatchObject({ status: 'completed', path: ['write', 'write'] });
  });

  test('docs/models.md contains a model implemented in code that answers a request', async () => {
    const { echo } = parseConfig('docs/models.md', ownModelExample).models;
    if (!echo || !('generate' in echo)) throw new Error('There is no such model');
    expect(await createOwnModel(echo.generate)(aModelQuestion(), aModelContext())).toMatchObject({ text: 'Hello' });
  });
});

describe('docs/chat.md', () => {
  test('docs/chat.md contains the graph and the options of examples/chat', () => {
    expect(codeIn('docs/chat.md', 'json')).toEqual([readFile('examples/chat/helper.json')]);
    expect(codeIn('docs/chat.md', 'ts')).toEqual([readFile('examples/chat/chat-options.ts')]);
  });
});

describe('docs/context.md', () => {
  const catalog = toCatalog(parseConfig('docs/context.md', contextExample));

  test('docs/context.md contains valid nodes', () => {
    const fragments = codeIn('docs/context.md', 'json').map((text): object => JSON.parse(text));
    expect(fragments).toHaveLength(2);
    for (const fragment of fragments) {
      const graph = aGraphOf(
        { type: 'agent', messages: 'messages', ...fragment },
        { channels: { answer: {}, messages: { reducer: 'messages' } } },
      );
      expect(validateGraph(toJson(graph), catalog)).toEqual([]);
    }
  });
});
