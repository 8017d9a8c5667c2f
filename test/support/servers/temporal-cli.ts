import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { provideTemporal } from '../../../src/dev/open-temporal.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { at } from '../readers/json-at.ts';

const run = promisify(execFile);

/** The `temporal` command for one server. */
export interface TemporalCli {
  /**
   * Sends a signal; it is repeated while the workflow is busy, as a person would do.
   * @throws when the command fails for another reason
   */
  signal(workflowId: string, name: string, ...args: readonly string[]): Promise<void>;
  /** @param args JSON texts, one for each argument of the query */
  query(workflowId: string, type: string, ...args: readonly string[]): Promise<Json>;
  /** Runs a subcommand of `temporal workflow` with output. */
  tell(subcommand: string, workflowId: string): Promise<Json>;
  cancel(workflowId: string): Promise<void>;
  terminate(workflowId: string, reason: string): Promise<void>;
  /** @param to the options that select the event */
  reset(workflowId: string, to: readonly string[]): Promise<void>;
  delete(workflowId: string): Promise<void>;
  /** Runs a command line that begins with `temporal`, like a person who pastes it. */
  paste(line: string): Promise<void>;
}

interface Server {
  readonly temporalAddress: string;
  readonly namespace?: string;
}

export async function openTemporalCli({ temporalAddress, namespace = 'default' }: Server): Promise<TemporalCli> {
  const executable = await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`));
  const env = { ...process.env, TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: namespace };
  const workflow = async (subcommand: string, workflowId: string, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(executable, ['workflow', subcommand, '--workflow-id', workflowId, ...args], { env });
    return stdout;
  };
  const told = async (subcommand: string, workflowId: string, ...args: readonly string[]): Promise<Json> =>
    toJson(JSON.parse(await workflow(subcommand, workflowId, '--output', 'json', ...args)));
  const signal = async (workflowId: string, ...args: readonly string[]): Promise<void> => {
    for (;;)
      try {
        return void (await workflow('signal', workflowId, ...args));
      } catch (error) {
        if (!String(error).includes('Workflow is busy')) throw error;
      }
  };
  return {
    signal: async (workflowId, name, ...args) => await signal(workflowId, '--name', name, ...args),
    async query(workflowId, type, ...args) {
      const answer = await told('query', workflowId, '--type', type, ...args.flatMap((arg) => ['--input', arg]));
      return at(answer, '/queryResult/0') ?? null;
    },
    tell: told,
    cancel: async (workflowId) => void (await workflow('cancel', workflowId)),
    terminate: async (workflowId, reason) => void (await workflow('terminate', workflowId, '--reason', reason)),
    reset: async (workflowId, to) => void (await workflow('reset', workflowId, '--reason', 'by a test', ...to)),
    delete: async (workflowId) => void (await workflow('delete', workflowId)),
    paste: async (line) => void (await run('sh', ['-c', line.replace(/^temporal /, `'${executable}' `)], { env })),
  };
}
