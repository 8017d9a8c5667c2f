/* The rooms of the command line, bottom first: a folder for each group of commands, and what they share. */

import type { Room } from './room.ts';
import { NODE, WORDS } from './room-groups.ts';

const COMMON = ['graph/values', 'client', 'cli/line', 'cli/input', 'cli/output'];

export const CLI_ROOMS: Readonly<Record<string, Room>> = {
  'cli/line': { rooms: ['graph/values'], packages: [NODE] },
  'cli/input': {
    rooms: [...WORDS, 'process', 'config', 'client', 'dev', 'cli/line'],
    packages: [NODE, 'jsonc-parser', 'zod'],
  },
  'cli/output': { rooms: ['graph/values', 'wording'], types: ['client', 'cli/line', 'cli/input'], packages: [NODE] },
  'cli/graphs': {
    rooms: [...COMMON, 'graph/definition', 'graph/diagram', 'graph/validate', 'network', 'activities', 'config'],
  },
  'cli/runs': { rooms: [...COMMON, 'wording'], types: ['graph/journal'], packages: [NODE, 'zod'] },
  'cli/evaluation': {
    rooms: [...COMMON, 'graph/definition', 'config', 'testing'],
    types: ['graph/replay'],
    packages: [NODE, 'zod'],
  },
  'cli/local': {
    rooms: [...COMMON, 'graph/definition', 'config', 'dev', 'cli/graphs'],
    packages: [NODE, 'chokidar', 'zod'],
  },
  'cli/production': {
    rooms: [
      'graph/values',
      'store',
      'process',
      'workflows',
      'config',
      'workers',
      'run-worker.ts',
      'run-api.ts',
      'dev',
      'cli/line',
      'cli/input',
      'cli/graphs',
    ],
    packages: [NODE, '@temporalio/client', '@temporalio/common', '@temporalio/proto', 'kysely', 'zod'],
    code: 'entry',
  },
  cli: {
    rooms: [
      'graph/values',
      'process',
      'client',
      'cli/line',
      'cli/output',
      'cli/graphs',
      'cli/runs',
      'cli/evaluation',
      'cli/local',
      'cli/production',
    ],
    packages: [NODE, 'zod'],
  },
};
