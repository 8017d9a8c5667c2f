import type { JsonObject } from '../graph/values/index.ts';
import { isDecision } from './next-actions.ts';
import type { NextAction } from './next-actions.ts';

/** An action as commands to type. */
export interface Commands {
  /** The command reads address and token from `HOLDFAST_URL` and `HOLDFAST_TOKEN`. */
  readonly curl: string;
  readonly holdfast: string;
  /** `null` if the run accepts no signal. */
  readonly temporal: string | null;
}

/** @param workflowId `null` if the run has no workflow that accepts signals */
export function commandsOf(next: NextAction, workflowId: string | null): Commands {
  return {
    curl: curlCommand(next),
    holdfast: holdfastCommand(next),
    temporal: workflowId === null ? null : temporalCommand(next, workflowId).join(' '),
  };
}

function curlCommand(next: NextAction): string {
  const { action, target } = next;
  const [path, body] = isDecision(next)
    ? [`/api/approvals/${target}/decision`, { decision: action, ...next.body }]
    : [`/api/runs/${target}/${action}`, next.body];
  const headers = `-H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json'`;
  return `curl -X POST "$HOLDFAST_URL${path}" ${headers} -d ${quoteJson(body)}`;
}

/** Makes the `holdfast` command. Values with characters that a shell interprets are quoted. */
export function holdfastCommand(next: NextAction): string {
  return ['npx holdfast', next.action, next.target, ...operandsAndFlags(next)].join(' ');
}

/** The number of digest characters in a command, which is enough to identify the content. */
const DIGEST_LENGTH = 12;

function operandsAndFlags({ action, body }: NextAction): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const word = quoteWord(name === 'digest' ? text.slice(0, DIGEST_LENGTH) : text);
    return action === 'replan' ? [word] : [`--${name}`, word];
  });
}

/** Makes the signal command of the Temporal CLI, in parts that may be written on separate lines. */
export function temporalCommand(next: NextAction, workflowId: string): readonly string[] {
  const input = isDecision(next) ? { approvalId: next.target, ...next.body } : next.body;
  return [
    `temporal workflow signal --workflow-id ${quoteWord(workflowId)}`,
    `--name ${next.action === 'signal' ? 'event' : next.action}`,
    `--input ${quoteJson(input)}`,
  ];
}

function quoteJson(value: JsonObject): string {
  return quoteForShell(JSON.stringify(value));
}

function quoteWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : quoteForShell(text);
}

/** Quotes a text for a POSIX shell, because people copy commands and the text may come from outside. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
