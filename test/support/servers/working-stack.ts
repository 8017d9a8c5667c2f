import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { aToolOf } from '../doubles/configured-tool.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { createRunControls } from '../readers/run-controls.ts';
import type { RunControls } from '../readers/run-controls.ts';

interface AnyStack {
  as(caller: keyof CallerTokens): ApiClient;
  stop(): Promise<void>;
}

/** A stack whose tool `work` executes jobs at a service. */
export interface WorkingStack<S extends AnyStack> extends RunControls {
  readonly stack: () => S;
  readonly service: () => JobService;
  readonly user: () => ApiClient;
}

/** Provides one stack for all tests of a file; its service is reset between them. */
export function useWorkingStack<S extends AnyStack>(start: (config: ConfigInput) => Promise<S>): WorkingStack<S> {
  let service: JobService;
  let stack: S;
  beforeAll(async () => {
    service = await startJobService();
    stack = await start({ tools: [aToolOf(service)], http: { allow: [service.address] } });
  });
  beforeEach(() => service.forget());
  afterAll(async () => {
    await stack.stop();
    await service.stop();
  });
  const user = (): ApiClient => stack.as('user');
  return { stack: () => stack, service: () => service, user, ...createRunControls(user) };
}
