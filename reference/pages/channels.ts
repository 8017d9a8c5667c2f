import { MESSAGE_ROLES } from '../../src/graph/definition/message.ts';
import { REDUCERS } from '../../src/graph/definition/reducers.ts';
import { partAt } from '../definition-parts.ts';
import { fieldTable } from '../field-table.ts';
import { code, codeBlock, listOf, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { REDUCER_TEXTS } from '../texts/reducers.ts';

const INTRODUCTION = `A channel is a named value of the state. Every channel that a node writes or an expression reads is declared. A declared
channel without a value is \`null\`.`;

const WRITES = `- The writes of one superstep are applied in the order of node ids, then of elements of a \`forEach\`. So the result never depends on timing.
- A node never sees what another node of its superstep writes.
- \`null\` is a value. Leave a channel out of \`write\` to leave it alone.
- \`{ "$replace": value }\` puts a value in place of the old one, whatever the reducer; once for each superstep and channel.
- The input of a run goes through the reducers, on top of the defaults.
- \`schema\` is checked after each superstep that has written the channel. A value that breaks it fails the run with
  \`CHANNEL_SCHEMA_VIOLATION\`; an input that breaks it is refused.`;

const EXPRESSION = `A reducer of your own is \`{ "expr": CEL }\` over \`current\`, the value so far, and \`update\`, the written one. \`current\` is \`null\` at first.`;

const MESSAGES = table(
  ['field', 'type', 'description'],
  [
    ['`id`', 'text', 'Given by the channel if it is absent.'],
    ['`role` (needed)', listOf(MESSAGE_ROLES), 'The one who speaks.'],
    ['`content` (needed)', 'text, or list of parts', 'What is said and shown.'],
    ['`toolCalls`', 'list of { id, name, args }', 'Of an assistant: the calls that it requests.'],
    ['`toolCallId`', 'text', 'Of a tool: the call that it answers.'],
    ['`name`', 'text', 'The name of the tool, or of the speaker.'],
    [
      '`files`',
      'list of parts',
      'Of a tool: the pictures and PDFs of its answer, which [models are shown](../files.md#files-that-tools-answer).',
    ],
  ],
);

const PARTS = table(
  ['part', 'fields'],
  [
    ['`text`', '`text`'],
    [
      '`image`',
      '`mediaType` such as `image/png`; `url` or `blob`, the id of a [stored file](../files.md); perhaps `name`',
    ],
    ['`file`', 'the same, of any media type'],
  ],
);

const FILES = `A part has its \`type\` and these fields. In the \`content\`, only messages of the \`user\` and the \`assistant\` have files, and only those of the user [reach a model](../files.md#files-in-messages).`;

const REMOVALS = `\`{ "remove": "m1" }\` removes a message, and \`{ "remove": "*" }\` all that came before. A write is one of these, a message, or a list of them.
From outside (inputs, edits, events, decisions) a channel takes only messages of the \`user\`, unless its \`roles\` name more.`;

export const channelsPage: Page = {
  name: 'channels',
  title: 'Channels and reducers',
  summary: 'The state of a run: fields of channels, the ten reducers, messages.',
  render: ({ example }) =>
    paragraphs(
      INTRODUCTION,
      codeBlock('json', example('channels')),
      '## Fields',
      fieldTable(partAt('properties', 'channels', 'additionalProperties')),
      '## Reducers',
      'A reducer says how a write changes the value.',
      table(['reducer', 'holds', 'begins as', 'meaning', 'example'], Object.entries(REDUCER_TEXTS).map(reducerRow)),
      EXPRESSION,
      '## Writes',
      WRITES,
      '## Messages',
      'A channel with the reducer `messages` holds a conversation. `llm`, `agent` and `tool` nodes read it and write it.',
      MESSAGES,
      PARTS,
      FILES,
      REMOVALS,
    ),
};

function reducerRow([name, { begins, meaning, example }]: [string, (typeof REDUCER_TEXTS)[keyof typeof REDUCERS]]) {
  const [current, update, after] = example;
  const { holds } = Object.entries(REDUCERS).find(([reducer]) => reducer === name)?.[1] ?? { holds: '' };
  return [code(name), holds, code(begins), meaning, `${code(current)} and ${code(update)} give ${code(after)}`];
}
