import { NODE_NAMES, RUN_FIELDS } from '../../src/graph/expression/names.ts';
import { code, codeBlock, listOf, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { FUNCTIONS, STATE_OF_EXAMPLES } from '../texts/functions.ts';

const INTRODUCTION = `Expressions are CEL, the [Common Expression Language](https://cel.dev). They compute one value, have no side effects, and always
end. Their values are JSON.`;

const PLACES = `- \`when\`, \`route\`, \`forEach\`, \`expr\` and the rules of \`approve\` **are** expressions, without braces.
- Every other text is a **template**: \`{{ CEL }}\` is replaced. So it is at any depth of \`args\`, \`write\`, \`details\` and \`input\`.
- A text that is exactly one \`{{ CEL }}\` keeps the type of the value: a number stays a number, a list a list. In a longer text, values become
  text: objects and lists as JSON, \`null\` as nothing.
- \`{{{{\` writes \`{{\`.`;

const SCOPES = table(
  ['place', 'names in scope'],
  [
    ['edges, templates of nodes', listOf(NODE_NAMES)],
    ['`write` of a node, `args` of `compensate`', `${listOf(NODE_NAMES)}, \`result\``],
    ['`write` in `onError`', `${listOf(NODE_NAMES)}, \`error\``],
    ['`approve` of an agent', '`args`, `state`, `run`'],
    ['`approval.when` and `url` of a tool in the configuration', '`args`'],
    ['`expr` of a reducer', '`current`, `update`'],
  ],
);

const MEMBERS = `- \`state\` has the channels: \`state.order\`, or \`state["pay-back"]\` where the name has a \`-\`.
- \`run\` has ${listOf(RUN_FIELDS)}. \`visit\` is how often this node has run, this time included; on an edge, how often the node that it comes from has. That of a join, or of an edge from \`__start__\`, is \`null\`.
- \`item\` and \`index\` are the element and its position inside a \`forEach\`, and \`null\` elsewhere.
- \`error\` has \`code\`, \`message\`, \`node\`, \`attempts\`.`;

const OPERATORS = `\`==\` \`!=\` \`<\` \`<=\` \`>\` \`>=\` \`&&\` \`||\` \`!\` \`+\` \`-\` \`*\` \`/\` \`%\` \`in\` \`a ? b : c\` \`[1, 2]\` \`{"a": 1}\``;

const PITFALLS = table(
  ['written', 'what happens', 'better'],
  [
    ['`state.a === 1`', 'no CEL', '`state.a == 1`'],
    ['`"when": "{{ state.a }}"`', 'no CEL: conditions have no braces', '`"when": "state.a"`'],
    ['`"write": { "n": "state.n + 1" }`', 'writes this text', '`"{{ state.n + 1 }}"`'],
    ['`state.order.note`', '`EXPRESSION_FAILED` if there is no such member', '`state.?order.?note.orValue("")`'],
    ['`state.n + 1` while `n` is null', '`EXPRESSION_FAILED`', '`coalesce(state.n, 0) + 1`'],
    ['`"Total: " + state.total`', 'CEL adds no number to a text', '`"Total: " + string(state.total)`, or a template'],
    [
      '`state.done` as a condition, while it is null',
      '`EXPRESSION_FAILED`: a condition is true or false',
      '`state.done == true`',
    ],
    ['`1 / 2`', '0: whole-number literals divide as whole numbers', '`1.0 / 2`; `state.n / 2` is a fraction already'],
    ['`name.toUpperCase()`', 'no such function', '`name.upperAscii()`'],
    ['`now()`', 'there is no clock: a run must replay', '`timestamp(run.startedAt)`'],
  ],
);

const COSTS = `Work is counted. One expression may take 1,000,000 units and 10,000 characters; all [limits](limits.md) are named there. A pattern of
\`matches\` takes time linear in the text.`;

export const expressionsPage: Page = {
  name: 'expressions',
  title: 'Expressions',
  summary: 'CEL: where it stands, what is in scope, functions with examples, pitfalls.',
  render: () =>
    paragraphs(
      INTRODUCTION,
      '## Where they stand',
      PLACES,
      '## What is in scope',
      SCOPES,
      MEMBERS,
      '## Operators',
      OPERATORS,
      'JSON has one kind of number: `state.n + 1`, `state.n / 2` and `state.list[size(state.list) - 1]` all work.',
      '## Functions',
      'The examples are evaluated by the tests, over this state:',
      codeBlock('text', `state = ${JSON.stringify(STATE_OF_EXAMPLES)}`),
      table(
        ['function', 'meaning', 'example', 'value'],
        FUNCTIONS.map(({ name, meaning, example, value }) => [code(name), meaning, code(example), code(value)]),
      ),
      '## Pitfalls',
      PITFALLS,
      '## What they may cost',
      COSTS,
    ),
};
