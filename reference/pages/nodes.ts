import type { NodeContext } from '../../src/activities/registered-code.ts';
import { NODE_TYPES } from '../../src/graph/definition/node-types/node-types.ts';
import type { NodeType } from '../../src/graph/definition/node-types/node-types.ts';
import { NODE_FIELDS } from '../../src/graph/schema/descriptions.ts';
import { fieldOf, objectIn, partAt, titled } from '../definition-parts.ts';
import { fieldTable } from '../field-table.ts';
import { code, codeBlock, listOf, paragraphs, table } from '../markdown.ts';
import type { Page, Sources } from '../page.ts';
import { FAILURES_OF_ALL, NODE_TEXTS } from '../texts/nodes.ts';

const NODES = partAt('properties', 'nodes', 'additionalProperties');

const INTRODUCTION = `A node is one unit of work. It sees the state as it was when its superstep began, does its work, and has a result.
\`write\` brings the result into channels; what is not written is gone. Examples are whole definitions.`;

const ON_ERROR = `Absent, a failed node fails the run, after the nodes beside it have finished. \`"intervene"\` lets the run wait for a person, who
retries the node, skips it with an output, or fails it. An object goes on at another node:`;

/** The fields of nodes of all types, and of those with calls. */
const SHARED: ReadonlySet<string> = new Set(['type', ...Object.keys(NODE_FIELDS.set)]);
const CALLS: ReadonlySet<string> = new Set(['timeout', 'retry']);
const isCallField = (name: string): boolean => CALLS.has(name);

export const nodesPage: Page = {
  name: 'nodes',
  title: 'Nodes',
  summary: 'Each type of node: its fields, its result, an example, its failures.',
  render: (sources) =>
    paragraphs(
      INTRODUCTION,
      table(
        ['type', 'what it does'],
        Object.entries(NODE_TYPES).map(([type, { summary }]) => [`[${code(type)}](#${type})`, summary]),
      ),
      '## Fields of all nodes',
      fieldTable(titled(NODES, 'set node'), (name) => name !== 'type'),
      `Any node may fail with ${listOf(FAILURES_OF_ALL)}; [failures](errors.md#failures-of-runs) says what they mean.`,
      '### `onError`',
      ON_ERROR,
      fieldTable(objectIn(partInNode('set', 'onError'))),
      '## Fields of nodes with calls',
      'Nodes of the types `llm`, `agent`, `tool`, `function` and your own types have these, too.',
      fieldTable(titled(NODES, 'llm node'), isCallField),
      ...Object.keys(NODE_TEXTS)
        .filter(isNodeType)
        .map((type) => section(type, sources)),
      '## Your own types',
      `\`nodeTypes\` in the [configuration](configuration.md) registers more types by code, with \`defineNodeType({ name, schema, execute })\`. Such a
node has the fields of its \`schema\`, whose texts may all be templates, and those of nodes with calls, \`execution\` and \`mayGoto\`. Its code may
return what a \`function\` may. Filled fields are checked by the schema before it is called; others fail the node with \`FUNCTION_FAILED\`.
[An example](../../examples/value-threshold.config.ts).`,
      'The code gets the fields, and a context (`NodeContext`):',
      table(
        ['member', 'meaning'],
        Object.entries(NODE_CONTEXT).map(([name, meaning]) => [code(name), meaning]),
      ),
    ),
};

const NODE_CONTEXT: Readonly<Record<keyof NodeContext, string>> = {
  state: 'the values of the channels at the beginning of the task',
  run: '`id`, `threadId`, `tenantId`, `step`, `visit`, `graph`, `startedAt`',
  key: 'the key of the call, the same in each attempt: pass it on to what deduplicates',
  signal: 'an `AbortSignal` that aborts at the time-out or the cancellation of the call',
  logger: 'a logger whose lines name the run, the node and the call',
};

function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(NODE_TYPES, type);
}

function partInNode(type: NodeType, field: string) {
  return fieldOf(titled(NODES, `${type} node`), field);
}

function section(type: NodeType, { example }: Sources): string {
  const { summary, exactlyOne = [] } = NODE_TYPES[type];
  const { notes, result, failures } = NODE_TEXTS[type];
  const members = Object.entries(result).map(([name, meaning]) => [code(name), meaning]);
  return paragraphs(
    `## \`${type}\``,
    summary,
    fieldTable(titled(NODES, `${type} node`), (name) => !SHARED.has(name) && !(hasCalls(type) && isCallField(name))),
    exactlyOne.length === 0 ? '' : `A node has exactly one of ${listOf(exactlyOne)}.`,
    ...nestedTables(type),
    notes.map((note) => `- ${note}`).join('\n'),
    members.length === 0 ? '' : paragraphs('Its result:', table(['member', 'meaning'], members)),
    codeBlock('json', example(type)),
    failures.length === 0 ? '' : `Its own failures: ${listOf(failures)}.`,
  );
}

/** Objects inside the fields of a type, which have fields of their own. */
const NESTED: { readonly [Type in NodeType]?: readonly string[] } = {
  llm: ['context'],
  tool: ['compensate'],
  approval: ['policy'],
};

function nestedTables(type: NodeType): readonly string[] {
  return (NESTED[type] ?? []).map((field) =>
    paragraphs(`\`${field}\`:`, fieldTable(objectIn(partInNode(type, field)))),
  );
}

function hasCalls(type: NodeType): boolean {
  return type !== 'wait' && type !== 'approval';
}
