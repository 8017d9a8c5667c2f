import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killChild } from '../../src/dev/child-process.ts';

/** A Node process that runs a script of the project, and can be killed and started again. */
export interface ChildNode {
  /** Ends it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  start(): void;
}

/** @param script a path below the project's root */
export function startNode(script: string, environment: NodeJS.ProcessEnv): ChildNode {
  const path = fileURLToPath(new URL(`../../${script}`, import.meta.url));
  const launch = (): ChildProcess =>
    spawn(process.execPath, ['--import', 'tsx', path], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  let child = launch();
  return {
    start() {
      child = launch();
    },
    kill: () => killChild(child),
  };
}
