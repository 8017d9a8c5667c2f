import { z } from 'zod';
import type { Call, Run } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { readChoiceFlag } from '../input/read-flags.ts';
import { EXIT, UsageError, defineCommand, oneOperand, switchFlag, textFlag } from '../line/command.ts';
import { printList } from '../output/lists.ts';
import { formatErrorWithCause } from '../output/run-texts.ts';
import { abbreviate, escapeInvisible, formatCount } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

const CALL_KINDS = { model: 'model', tool: 'tool', function: 'function', node: 'node' } as const;

/** The largest page of calls. */
const MAX_PAGE = 50;

export const callsCommand = defineCommand({
  name: 'calls',
  summary: 'list the calls of a run: prompts, tool calls, tokens, cost',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Lists the calls of a run to models, tools and functions, the oldest first: what was sent, what has come back, tokens and
    cost. Long values and conversations are cut; --call prints one call in full. With --last the newest calls are listed.`,
  flags: {
    node: textFlag('NODE', 'only calls of the nodes with this name'),
    kind: textFlag('KIND', `only ${Object.keys(CALL_KINDS).join(', ')} (code of a node type)`),
    call: textFlag('KEY', 'only this call, uncut'),
    ...LIST_FLAGS,
    ...accessFlags(),
    json: switchFlag('prints the calls as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { node, call: key, last, cursor } = values;
    const kind = values.kind === undefined ? undefined : readChoiceFlag('--kind', values.kind, CALL_KINDS);
    const part = readListFlags(values);
    if (cursor !== undefined && last === undefined) throw new UsageError('--cursor of calls needs the --last N before');
    const { runs } = await openClient(values, terminal);
    if (key !== undefined) {
      const call = await runs.call(id, key);
      terminal.stdout.write(values.json ? `${JSON.stringify(call, null, 2)}\n` : formatCall(call, Infinity));
      return EXIT.done;
    }
    const filter = { ...(node !== undefined && { node }), ...(kind !== undefined && { kind }) };
    const order = last === undefined ? 'oldest' : 'newest';
    const [{ items, nextCursor }, { usage }] = await Promise.all([
      readList(part, (limit) => runs.calls(id, { ...filter, order, limit }), MAX_PAGE),
      runs.get(id),
    ]);
    const calls = order === 'oldest' ? items : items.toReversed();
    const format = (found: readonly Call[]): string => found.map((call) => formatCall(call, MAX_TEXT)).join('\n');
    printList({ items: calls, nextCursor }, { json: values.json, format, none: 'There is no such call.' }, terminal);
    if (!values.json) terminal.stderr.write(`The run: ${formatUsage(usage)}\n`);
    return EXIT.done;
  },
});

function formatUsage({ modelCalls, toolCalls, inputTokens, outputTokens, costUsd }: Run['usage']): string {
  const calls = `${formatCount(modelCalls, 'model call')}, ${formatCount(toolCalls, 'tool call')}`;
  return `${calls}, ${inputTokens} tokens in, ${outputTokens} out, ${formatCost(costUsd)}`;
}

function formatCost(costUsd: number): string {
  return `$${costUsd.toFixed(costUsd === 0 ? 2 : 6)}`;
}

/** The most characters of a text in a list. */
const MAX_TEXT = 300;
/** The last messages of a conversation in a list. */
const MAX_MESSAGES = 3;

/** Formats a call: a line about it, then one for each part. @param maxText the most characters of a part */
function formatCall(call: Call, maxText: number): string {
  const { key, kind, name, node, path = [], index, status, undoes, attempts, durationMs, usage, costUsd, error } = call;
  const where = `${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
  const facts = [
    `${status}${durationMs === null ? '' : ` in ${Math.round(durationMs)} ms`}`,
    ...(attempts > 1 ? [formatCount(attempts, 'attempt')] : []),
    ...(usage ? [`${usage.inputTokens} tokens in, ${usage.outputTokens} out`] : []),
    ...(costUsd === null ? [] : [formatCost(costUsd)]),
  ];
  const parts = [
    ...(kind === 'model' ? partsOfPrompt(call.request, maxText) : [part('request', call.request)]),
    ...(kind === 'model' ? partsOfAnswer(call.reply) : [part('reply', call.reply)]),
    ...(error ? [['error', formatErrorWithCause(error)] as const] : []),
  ];
  const head = `${where}  ${undoes ? 'undone by ' : ''}${kind} ${name}  ${facts.join(', ')}  ${key}`;
  const lines = parts.flatMap(([label, text]) =>
    text === '' ? [] : [`  ${label.padEnd(LABEL_WIDTH)}${indent(abbreviate(text, maxText))}`],
  );
  return [head, ...lines].map((line) => `${escapeInvisible(line)}\n`).join('');
}

const LABEL_WIDTH = 11;

/** Continued lines are indented, so that no text can imitate another part. */
function indent(text: string): string {
  return text.replaceAll('\n', `\n  ${' '.repeat(LABEL_WIDTH)}`);
}

type Part = readonly [label: string, text: string];

function part(label: string, value: Json): Part {
  return [label, value === null ? '' : toText(value)];
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const JsonSchema = z.json();
const ToolCallsSchema = z.array(z.looseObject({ name: z.string(), args: JsonSchema })).default([]);
const MessageSchema = z.looseObject({ role: z.string(), content: JsonSchema, toolCalls: ToolCallsSchema });
const PromptSchema = z.looseObject({
  system: z.string().optional(),
  messages: z.array(MessageSchema),
  omitted: z.number().default(0),
});
const AnswerSchema = z.looseObject({ text: z.string().default(''), toolCalls: ToolCallsSchema });

function partsOfPrompt(request: Json, maxText: number): readonly Part[] {
  const prompt = PromptSchema.safeParse(request).data;
  if (!prompt) return [part('request', request)];
  const { system = '', messages, omitted } = prompt;
  const listed = maxText === Infinity ? messages : messages.slice(-MAX_MESSAGES);
  const left = omitted + messages.length - listed.length;
  return [
    ['system', system],
    ...(left === 0 ? [] : [['', `(${formatCount(left, 'earlier message')})`] as const]),
    ...listed.map(({ role, content, toolCalls }): Part => [role, textOfMessage(content, toolCalls)]),
  ];
}

function partsOfAnswer(reply: Json): readonly Part[] {
  const answer = AnswerSchema.safeParse(reply).data;
  return answer && reply !== null ? [['reply', textOfMessage(answer.text, answer.toolCalls)]] : [part('reply', reply)];
}

function textOfMessage(content: z.output<typeof JsonSchema>, toolCalls: z.output<typeof ToolCallsSchema>): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const calls = toolCalls.map(({ name, args }) => `calls ${name}(${JSON.stringify(args)})`);
  return [...(text === '' ? [] : [text]), ...calls].join('\n');
}
