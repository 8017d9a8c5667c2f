import type { JsonObject } from '../graph/values/index.ts';
import type { NextAction } from './next-actions.ts';

/** An action as people type it. */
export interface Commands {
  /** Takes address and token from `HOLDFAST_URL` and `HOLDFAST_TOKEN`. */
  readonly curl: string;
  readonly holdfast: string;
  /** `null`: the run takes no signal. */
  readonly temporal: string | null;
}

/** @param workflowId `null`: the run has no workflow that takes signals */
export function commandsOf(next: NextAction, workflowId: string | null): Commands {
  return {
    curl: curlCommand(next),
    holdfast: holdfastCommand(next),
    temporal: workflowId === null ? null : temporalCommand(next, workflowId).join(' '),
  };
}

function curlCommand(next: NextAction): string {
  const [path, body] =
    'approvalId' in next
      ? [`/api/approvals/${next.approvalId}/decision`, { decision: next.action, ...next.body }]
      : [`/api/runs/${next.runId}/${next.action}`, next.body];
  const headers = `-H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json'`;
  return `curl -X POST "$HOLDFAST_URL${path}" ${headers} -d ${quoteJson(body)}`;
}

/** Makes the command of `holdfast`. Values are quoted where a shell would read them otherwise. */
export function holdfastCommand(next: NextAction): string {
  const target = 'approvalId' in next ? next.approvalId : next.runId;
  return ['npx holdfast', next.action, target, ...operandsAndFlags(next)].join(' ');
}

/** The number of characters of a digest that a command has: enough to name what was seen. */
const DIGEST_LENGTH = 12;

function operandsAndFlags({ action, body }: NextAction): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const word = quoteWord(name === 'digest' ? text.slice(0, DIGEST_LENGTH) : text);
    return action === 'replan' ? [word] : [`--${name}`, word];
  });
}

/** Makes the signal by Temporal's own command, in parts that can stand in a line each. */
export function temporalCommand(next: NextAction, workflowId: string): readonly string[] {
  const input = 'approvalId' in next ? { approvalId: next.approvalId, ...next.body } : next.body;
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

/** Quotes a text for a POSIX shell: people copy commands, and the text may come from outside. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
