import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const LONGEST = [
  /\/smoke\//,
  /\/(chaos|computing-runs|crash-reopening|graph-jobs|held-bytes|lost-processes|poisoned-runs|reopening|task-queues|temporal-cli|thread-queues)\.test/,
];

/** Starts the slowest files first, so that none runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((pattern) => pattern.test(moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
