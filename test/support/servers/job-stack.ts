import type { SweepTimes } from '../../../src/api/deps.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { aToolOf } from '../doubles/configured-tool.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import { startTestStack } from './test-stack.ts';
import type { TestStack } from './test-stack.ts';

/** A stack whose tools execute jobs at a service of the test. */
export interface JobStack {
  readonly stack: TestStack;
  readonly service: JobService;
  readonly stop: () => Promise<void>;
}

interface JobStackOptions {
  /** The tools by name, with additional settings; by default one with the name `job`. */
  readonly tools?: Readonly<Record<string, Parameters<typeof aToolOf>[1]>>;
  readonly defaults?: ConfigInput['defaults'];
  readonly sweeping?: Partial<SweepTimes>;
}

export async function startJobStack({
  tools = { job: {} },
  defaults,
  sweeping,
}: JobStackOptions = {}): Promise<JobStack> {
  const teardown = openTeardown();
  const service = await startJobService();
  teardown.add(() => service.stop());
  const config = {
    tools: Object.entries(tools).map(([name, over]) => aToolOf(service, { name, ...over })),
    http: { allow: [service.address] },
    ...(defaults && { defaults }),
  };
  const stack = await startTestStack(config, {}, sweeping);
  teardown.add(() => stack.stop());
  return { stack, service, stop: () => teardown.run() };
}
