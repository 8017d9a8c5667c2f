import { apiProcess } from './api-process.ts';
import { approvals } from './approvals.ts';
import type { Command } from './line/command.ts';
import { console } from './console.ts';
import { CONTROL_COMMANDS } from './controls.ts';
import { approve, reject } from './decide.ts';
import { dev } from './dev.ts';
import { diagram } from './diagram.ts';
import { doctor } from './doctor.ts';
import { evaluate } from './evaluate.ts';
import { explain } from './explain.ts';
import { history } from './history.ts';
import { init } from './init.ts';
import { interventions } from './interventions.ts';
import { logs } from './logs.ts';
import { mcp } from './mcp.ts';
import { promote } from './promote.ts';
import { publish } from './publish.ts';
import { run } from './run.ts';
import { start } from './start.ts';
import { token } from './token.ts';
import { validate } from './validate.ts';
import { workerProcess } from './worker-process.ts';

/** All commands, under the titles that the help has for them. */
export const COMMAND_GROUPS: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['On this machine', [init, dev, start, console, token, logs]],
  ['Graphs', [validate, diagram, publish, mcp]],
  ['Runs', [run, history, explain, ...CONTROL_COMMANDS]],
  ['Decisions', [approvals, approve, reject, interventions]],
  ['Tests', [promote, evaluate]],
  ['In production', [apiProcess, workerProcess, doctor]],
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(([, commands]) => commands.map((command) => [command.name, command])),
);
