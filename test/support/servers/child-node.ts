import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killChild, stopChild } from '../../../src/dev/child-process.ts';
import type { Victim } from './victim.ts';

/** A Node process that runs a script of the project. */
export interface ChildNode extends Victim {
  readonly pid: number;
  /** The number of times that it has exited by itself. */
  readonly ownEnds: number;
  /** @throws after a time-out */
  untilReady(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has exited. @returns its exit code; `null` after a signal */
  ended(): Promise<number | null>;
  /** Resolves when its output since its last start contains a text. */
  said(text: string): Promise<void>;
  /** Its output since its last start. */
  words(): string;
}

export interface ChildNodeOptions {
  /** True to restart it when it exits by itself, like a supervisor in production. */
  readonly isLookedAfter?: boolean;
  /** The output by which it reports that it is ready, awaited at its start. */
  readonly readyWhen?: string;
}

/** The time after which a supervisor restarts a process. */
const STARTED_AGAIN_AFTER_MS = 300;
const STOPS_WITHIN_MS = 90_000;
const READY_WITHIN_MS = 300_000;

/** @param script a path below the project's root, of TypeScript or of a build output */
export function startNode(
  script: string,
  environment: NodeJS.ProcessEnv,
  { isLookedAfter = false, readyWhen = '' }: ChildNodeOptions = {},
): ChildNode {
  const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
  const outputEvents = new EventEmitter().setMaxListeners(0);
  let words = '';
  let ownEnds = 0;
  let isWanted = true;
  let child: ChildProcess;
  const launch = (): void => {
    words = '';
    const started = spawn(process.execPath, [...(script.endsWith('.ts') ? ['--import', 'tsx'] : []), path], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    started.stdout.on('data', (chunk: Buffer) => {
      words += chunk.toString();
      outputEvents.emit('words');
    });
    started.once('exit', () => noticeEnd(started));
  };
  const isMissed = (ended: ChildProcess): boolean => isWanted && child === ended;
  const noticeEnd = (ended: ChildProcess): void => {
    if (!isMissed(ended)) return;
    ownEnds += 1;
    if (isLookedAfter) setTimeout(() => void (isMissed(ended) && launch()), STARTED_AGAIN_AFTER_MS);
  };
  const end = async (how: (child: ChildProcess) => Promise<void>): Promise<void> => {
    isWanted = false;
    await how(child);
  };
  const said = async (text: string, signal?: AbortSignal): Promise<void> => {
    while (!words.includes(text)) await once(outputEvents, 'words', { ...(signal && { signal }) });
  };
  const untilReady = async (): Promise<void> => await said(readyWhen, AbortSignal.timeout(READY_WITHIN_MS));
  launch();
  return {
    get pid() {
      return child.pid ?? 0;
    },
    get ownEnds() {
      return ownEnds;
    },
    untilReady,
    async start() {
      isWanted = true;
      launch();
      await untilReady();
    },
    kill: async () => await end(killChild),
    stop: async () => await end((child) => stopChild(child, STOPS_WITHIN_MS)),
    suspend: async () => void child.kill('SIGSTOP'),
    resume: async () => void child.kill('SIGCONT'),
    signal: (name) => void child.kill(name),
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
    said,
    words: () => words,
  };
}
