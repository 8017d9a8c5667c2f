import { decision } from './decision.ts';
import { fanOut } from './fan-out.ts';
import { pureSteps } from './pure-steps.ts';
import type { Row } from './row.ts';
import { runsAtOnce } from './runs-at-once.ts';
import { toolSteps } from './tool-steps.ts';

export const ALL_ROWS: readonly Row[] = [toolSteps, runsAtOnce, fanOut, pureSteps, decision];
