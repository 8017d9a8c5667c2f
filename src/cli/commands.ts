import { approvals, comment, approve, reject, reassign, remind } from './runs/approvals.ts';
import { evaluate } from './evaluation/evaluate.ts';
import { promote } from './evaluation/promote.ts';
import { diagram } from './graphs/diagram.ts';
import { validate } from './graphs/validate.ts';
import { mcp } from './graphs/mcp.ts';
import { publish } from './graphs/publish.ts';
import { aliases, graphs, unpublish } from './graphs/published.ts';
import type { Command } from './line/command.ts';
import { console, token } from './local/sign-in.ts';
import { dev, start } from './local/start.ts';
import { init } from './local/init.ts';
import { logs } from './local/logs.ts';
import { apiProcess, workerProcess } from './production/processes.ts';
import { doctor } from './production/doctor.ts';
import { setup } from './production/setup.ts';
import { cancel, pause, replan, resume, signal } from './runs/control.ts';
import { checkpoints, explain, fork, history, runs } from './runs/runs.ts';
import { fail, interventions, retry, skip } from './runs/interventions.ts';
import { run } from './runs/run.ts';

/** All commands, grouped under the titles of the help. Each group is a folder. */
export const COMMAND_GROUPS: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['On this machine', [init, dev, start, console, token, logs]],
  ['Graphs', [validate, diagram, publish, unpublish, graphs, aliases, mcp]],
  ['Runs', [run, runs, history, explain, checkpoints, pause, resume, replan, fork, signal, cancel]],
  ['Failures', [interventions, retry, skip, fail]],
  ['Decisions', [approvals, approve, reject, comment, remind, reassign]],
  ['Tests', [promote, evaluate]],
  ['In production', [setup, apiProcess, workerProcess, doctor]],
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(([, commands]) => commands.map((command) => [command.name, command])),
);
