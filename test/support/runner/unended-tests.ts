import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that were under way in a process that died: the error says only that one has. */
export class UnendedTests implements Reporter {
  readonly #killsBefore = killsForMemory();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const open = modules.filter(isOpen);
    if (open.length === 0) return;
    const memory = `   ${Math.round(freemem() / 2 ** 20)} MiB are free; killed for memory meanwhile: ${killsForMemory() - this.#killsBefore}`;
    process.stderr.write(`${[...open.map(describeOpen), memory].join('\n')}\n`);
  }
}

/** How many processes the kernel has killed so far to have their memory, of which it tells nobody; 0 where it does not count. */
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
