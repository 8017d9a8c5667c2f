import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { stopChild } from '../../../src/dev/child-process.ts';
import type { ComposeService } from './compose-file.ts';

const run = promisify(execFile);

/** A machine that runs services like Compose, but as processes. */
export interface Machine {
  /** The folder that replaces that of the image. */
  readonly folder: string;
  /** The environment variables of the image. */
  readonly imageEnvironment: Readonly<Record<string, string>>;
  readonly imageCommand: readonly string[];
  /** The content of a service's `env_file`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The addresses in the file, `host:port`, and the local addresses that replace them. */
  readonly places: ReadonlyMap<string, string>;
}

/** A service as a process. */
export interface ComposedService {
  readonly name: string;
  /** Returns its exit code, once it has exited by itself. */
  ended(): Promise<number | null>;
  /** Runs its health check until that succeeds. @throws with its output after a time-out */
  untilHealthy(): Promise<void>;
  /** Stops it like Compose does. @returns its exit code */
  stop(): Promise<number | null>;
  words(): string;
}

const HEALTHY_WITHIN_MS = 240_000;
const STOPS_WITHIN_MS = 60_000;

/** Starts a service of the image with its original command and environment, apart from addresses. */
export function compose(name: string, service: ComposeService, machine: Machine): ComposedService {
  const [program = '', ...args] = service.command ?? machine.imageCommand;
  const env = environmentOf(service, machine);
  const child: ChildProcess = spawn(program, args, { cwd: machine.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  const [, probe = '', ...probeArgs] = service.healthcheck?.test ?? [];
  return {
    name,
    ended,
    async untilHealthy() {
      for (const deadline = Date.now() + HEALTHY_WITHIN_MS; ;) {
        const failure = await run(probe, probeArgs, { cwd: machine.folder, env }).then(() => null, String);
        if (failure === null) return;
        if (child.exitCode !== null || Date.now() > deadline)
          throw new Error(`${name} is not healthy: ${failure}\n${said}`);
        await sleep(1_000);
      }
    },
    async stop() {
      await stopChild(child, STOPS_WITHIN_MS);
      return child.exitCode;
    },
    words: () => said,
  };
}

/** A container has the variables of its image and its service, and none of the machine. */
function environmentOf(
  { environment, env_file }: ComposeService,
  { imageEnvironment, variables, places }: Machine,
): NodeJS.ProcessEnv {
  const given = { ...imageEnvironment, ...(env_file.length > 0 && variables), ...environment };
  const placed = Object.entries(given).map(([name, value]) => [name, placedHere(name, value, places)]);
  return { PATH: process.env['PATH'], ...Object.fromEntries(placed) };
}

function placedHere(name: string, value: string, places: Machine['places']): string {
  let placed = value;
  for (const [there, here] of places) {
    const port = there.split(':')[1] ?? '';
    if (name.endsWith('PORT') && placed === port) return here.split(':')[1] ?? '';
    placed = placed.replace(new RegExp(`(?:${there.split(':')[0]}|127\\.0\\.0\\.1):${port}(?!\\d)`), here);
  }
  return placed;
}
