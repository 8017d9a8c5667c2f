import type { Client, Run } from '../../client/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags } from '../input/api-access.ts';
import { readJsonObject } from '../input/read-json.ts';
import { EXIT } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { option, text } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { waysOn } from '../output/ways-on.ts';

/* What commands share that stop one run, end it or let it go on. */

export const CONTROL_EXITS = { 0: 'done', ...API_EXITS } as const;
export const CONTROL_FLAGS = { ...accessFlags(), json: option('prints the run as JSON') } as const;
export const REASON_FLAG = text('TEXT', 'why; it is recorded');
export const VALUES_FLAG = text('JSON', 'values to write into channels first, or @FILE that holds them');

export const OF_RUN = { operands: oneOperand('RUN', 'the id of one run'), exits: CONTROL_EXITS } as const;

export function reasonOf({ reason }: { readonly reason?: string | undefined }): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Reads the values of channels that are given. @throws UsageError */
export async function valuesOf({
  values,
}: {
  readonly values?: string | undefined;
}): Promise<{ readonly values?: JsonObject }> {
  return values === undefined ? {} : { values: await readJsonObject('--values', values, 'values of channels') };
}

/** Prints a run as it is after a control, and what lets it go on. @returns the exit code */
export async function reportRun(
  { client, run }: { readonly client: Client; readonly run: Run },
  { json }: { readonly json: boolean },
  { stdout, stderr }: Terminal,
): Promise<number> {
  stdout.write(json ? `${JSON.stringify(run, null, 2)}\n` : `${run.id} is ${run.status}\n`);
  for (const line of await waysOn(client, run)) stderr.write(`${line}\n`);
  return EXIT.done;
}
