import { relative } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { TEST_FILE } from '../servers/histories.ts';

beforeAll(() => {
  process.env[TEST_FILE] = relative(process.cwd(), expect.getState().testPath ?? '');
});
