import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that were under way in a process that died: the error says only that one has. */
export class UnendedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules.filter(isOpen)) process.stderr.write(`${describeOpen(module)}\n`);
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
