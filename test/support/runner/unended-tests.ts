import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that were running in a process that crashed, because the error does not name them. */
export class UnendedTests implements Reporter {
  readonly #killsBefore = killsForMemory();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const open = modules.filter(isOpen);
    if (open.length === 0) return;
    const memory = `   ${Math.round(freemem() / 2 ** 20)} MiB are free; killed for memory meanwhile: ${killsForMemory() - this.#killsBefore}`;
    process.stderr.write(`${[...open.map(describeOpen), memory].join('\n')}\n`);
  }
}

/**
 * The number of processes that the kernel has killed for lack of memory, which it reports nowhere else; 0 if it does
 * not count them.
 */
function killsForMemory(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function isOpen(module: TestModule): boolean {
  return ['queued', 'pending'].includes(module.state());
}

function describeOpen(module: TestModule): string {
  const file = ` FAIL  ${module.project.name}  ${module.relativeModuleId}`;
  const tests = [...module.children.allTests('pending')].map(({ fullName }) => `   ${fullName}`);
  return [`${file}: its process died before these tests had ended`, ...tests].join('\n');
}
