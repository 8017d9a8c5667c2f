import { objectIn, partAt, wholeDefinition } from '../definition-parts.ts';
import { fieldTable } from '../field-table.ts';
import { codeBlock, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';

const INTRODUCTION = `A definition is a JSON document. \`POST /api/graphs\` publishes it, \`npx holdfast validate FILE\` checks it, and
[the builder](../builder.md) writes it in TypeScript. A definition that breaks a rule is refused with all its [issues](errors.md#issues-of-a-definition) at
once. The order of keys in an object never matters.`;

const WORDS = table(
  ['word', 'form', 'example'],
  [
    ['name of a graph', 'small letters, digits, `-`; begins with a letter; 63 characters at most', '`refund-triage`'],
    ['node id, channel', 'letters, digits, `_`, `-`; begins with a letter; 63 characters at most', '`pay-back`'],
    ['`__start__`, `__end__`', 'where a run begins and a path ends; no node has these ids', ''],
    ['duration', 'a number and `ms`, `s`, `m`, `h` or `d`', '`"250ms"`, `"30s"`, `"1.5h"`, `"7d"`'],
    ['template', 'text with `{{ CEL }}` in it: [expressions](expressions.md)', '`"Order {{ state.number }}"`'],
    ['JSON Schema', 'dialect 2020-12; `pattern` is RE2', '`{ "type": "string" }`'],
  ],
);

const ORDER = `A run goes in supersteps. The nodes that the step before has triggered run in parallel, all on the same state. When all of them
have finished, their writes are applied in the order of node ids, a checkpoint is saved, and the [edges](edges.md) say which nodes run next.
The run ends when nothing is triggered. \`interruptBefore\` and \`interruptAfter\` pause it around a node, on each visit.`;

export const definitionPage: Page = {
  name: 'definition',
  title: 'The definition',
  summary: 'The fields of a graph, names, durations, and the order in which a run goes on.',
  render: ({ example }) =>
    paragraphs(
      INTRODUCTION,
      codeBlock('json', example('definition')),
      '## Fields',
      fieldTable(wholeDefinition),
      '`nodes`: [node types](nodes.md). `channels`: [channels and reducers](channels.md). `limits`: [limits and defaults](limits.md).',
      '## `defaults`',
      'They hold for nodes of the types `llm`, `agent`, `tool` and `function` that do not say otherwise.',
      fieldTable(partAt('properties', 'defaults')),
      '## `retry`',
      fieldTable(objectIn(partAt('properties', 'defaults', 'properties', 'retry'))),
      'Tried again are network failures, time-outs, 408, 425, 429 and 5xx, and 409 of a model. Other answers with 4xx, content filters and a used-up quota are not.',
      '## Names and forms',
      WORDS,
      '## How a run goes on',
      ORDER,
    ),
};
