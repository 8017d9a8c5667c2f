import type { JsonObject } from '../../graph/values/index.ts';
import { quoteForShell } from '../../graph/wording/index.ts';

/** An action as people type it. */
export interface Commands {
  /** Takes address and token from `HOLDFAST_URL` and `HOLDFAST_TOKEN`. */
  readonly curl: string;
  readonly holdfast: string;
  /** `null`: it can't be done that way. */
  readonly temporal: string | null;
}

/** A request to the API. */
export function curl(path: string, body: JsonObject): string {
  const headers = `-H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json'`;
  return `curl -X POST "$HOLDFAST_URL${path}" ${headers} -d ${quoteForShell(JSON.stringify(body))}`;
}

/** A command of `holdfast`. Operands and values are quoted where a shell would read them otherwise. */
export function holdfast(name: string, ...words: readonly string[]): string {
  return ['npx holdfast', name, ...words.map(asWord)].join(' ');
}

/** A signal by Temporal's own command. */
export function temporal(workflowId: string, name: string, input: JsonObject): string {
  return `temporal workflow signal --workflow-id ${asWord(workflowId)} --name ${name} --input ${quoteForShell(JSON.stringify(input))}`;
}

function asWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : quoteForShell(text);
}
