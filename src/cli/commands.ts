import { approvals } from './approvals/approvals.ts';
import { comment } from './approvals/comment.ts';
import { approve, reject } from './approvals/decide.ts';
import { reassign } from './approvals/reassign.ts';
import { remind } from './approvals/remind.ts';
import { evaluate } from './evaluation/evaluate.ts';
import { promote } from './evaluation/promote.ts';
import { diagram } from './graphs/diagram.ts';
import { mcp } from './graphs/mcp.ts';
import { publish } from './graphs/publish.ts';
import { validate } from './graphs/validate.ts';
import type { Command } from './line/command.ts';
import { console } from './local/console.ts';
import { dev } from './local/dev.ts';
import { init } from './local/init.ts';
import { logs } from './local/logs.ts';
import { start } from './local/start.ts';
import { token } from './local/token.ts';
import { apiProcess } from './production/api-process.ts';
import { doctor } from './production/doctor.ts';
import { setup } from './production/setup.ts';
import { workerProcess } from './production/worker-process.ts';
import { cancel } from './runs/cancel.ts';
import { checkpoints } from './runs/checkpoints.ts';
import { explain } from './runs/explain.ts';
import { fail } from './failures/fail.ts';
import { fork } from './runs/fork.ts';
import { history } from './runs/history.ts';
import { interventions } from './failures/interventions.ts';
import { pause } from './runs/pause.ts';
import { replan } from './runs/replan.ts';
import { resume } from './runs/resume.ts';
import { retry } from './failures/retry.ts';
import { run } from './runs/run.ts';
import { runs } from './runs/runs.ts';
import { signal } from './runs/signal.ts';
import { skip } from './failures/skip.ts';

/** All commands, under the titles that the help has for them. A group is a folder. */
export const COMMAND_GROUPS: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['On this machine', [init, dev, start, console, token, logs]],
  ['Graphs', [validate, diagram, publish, mcp]],
  ['Runs', [run, runs, history, explain, checkpoints, pause, resume, replan, fork, signal, cancel]],
  ['Failures', [interventions, retry, skip, fail]],
  ['Decisions', [approvals, approve, reject, comment, remind, reassign]],
  ['Tests', [promote, evaluate]],
  ['In production', [setup, apiProcess, workerProcess, doctor]],
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(([, commands]) => commands.map((command) => [command.name, command])),
);
