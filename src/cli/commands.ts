import { apiProcess } from './production/api-process.ts';
import { approvals } from './approvals/approvals.ts';
import type { Command } from './line/command.ts';
import { CONTROL_COMMANDS } from './runs/controls.ts';
import { approve, reject } from './approvals/decide.ts';
import { dev } from './local/dev.ts';
import { diagram } from './graphs/diagram.ts';
import { doctor } from './production/doctor.ts';
import { evaluate } from './evaluation/evaluate.ts';
import { explain } from './runs/explain.ts';
import { history } from './runs/history.ts';
import { init } from './local/init.ts';
import { interventions } from './runs/interventions.ts';
import { logs } from './local/logs.ts';
import { mcp } from './graphs/mcp.ts';
import { promote } from './evaluation/promote.ts';
import { publish } from './graphs/publish.ts';
import { run } from './runs/run.ts';
import { start } from './local/start.ts';
import { token } from './local/token.ts';
import { validate } from './graphs/validate.ts';
import { workerProcess } from './production/worker-process.ts';

/** All commands, under the titles that the help has for them. */
export const COMMAND_GROUPS: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['On this machine', [init, dev, start, token, logs]],
  ['Graphs', [validate, diagram, publish, mcp]],
  ['Runs', [run, history, explain, ...CONTROL_COMMANDS]],
  ['Decisions', [approvals, approve, reject, interventions]],
  ['Tests', [promote, evaluate]],
  ['In production', [apiProcess, workerProcess, doctor]],
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(([, commands]) => commands.map((command) => [command.name, command])),
);
