import {
  approvalsCommand,
  commentCommand,
  approveCommand,
  rejectCommand,
  reassignCommand,
  remindCommand,
} from './runs/approvals.ts';
import { evaluateCommand } from './evaluation/evaluate.ts';
import { promoteCommand } from './evaluation/promote.ts';
import { diagramCommand, validateCommand, publishCommand } from './graphs/definitions.ts';
import { aliasesCommand, graphsCommand, unpublishCommand } from './graphs/published.ts';
import { explainCommand } from './runs/explain.ts';
import { historyCommand, stateCommand } from './runs/history.ts';
import { mcpCommand } from './graphs/mcp.ts';
import type { Command } from './line/command.ts';
import { consoleCommand, tokenCommand } from './local/sign-in.ts';
import { devCommand, startCommand } from './local/start.ts';
import { initCommand } from './local/init.ts';
import { logsCommand } from './local/logs.ts';
import { apiProcess, workerProcess, doctorCommand, setupCommand } from './production/commands.ts';
import { cancelCommand, pauseCommand, replanCommand, resumeCommand, signalCommand } from './runs/control.ts';
import { checkpointsCommand, forkCommand, runsCommand } from './runs/runs.ts';
import { failCommand, interventionsCommand, retryCommand, skipCommand } from './runs/interventions.ts';
import { runCommand } from './runs/run.ts';
import { callsCommand } from './runs/calls.ts';
import { threadsCommand } from './runs/threads.ts';
import { schedulesCommand } from './runs/schedules.ts';

/** All commands, grouped under the titles of the help. Each group is a folder. */
export const COMMAND_GROUPS: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['On this machine', [initCommand, devCommand, startCommand, consoleCommand, tokenCommand, logsCommand]],
  [
    'Graphs',
    [validateCommand, diagramCommand, publishCommand, unpublishCommand, graphsCommand, aliasesCommand, mcpCommand],
  ],
  [
    'Runs',
    [
      runCommand,
      runsCommand,
      historyCommand,
      explainCommand,
      callsCommand,
      stateCommand,
      checkpointsCommand,
      threadsCommand,
      schedulesCommand,
      pauseCommand,
      resumeCommand,
      replanCommand,
      forkCommand,
      signalCommand,
      cancelCommand,
    ],
  ],
  ['Failures', [interventionsCommand, retryCommand, skipCommand, failCommand]],
  ['Decisions', [approvalsCommand, approveCommand, rejectCommand, commentCommand, remindCommand, reassignCommand]],
  ['Tests', [promoteCommand, evaluateCommand]],
  ['In production', [setupCommand, apiProcess, workerProcess, doctorCommand]],
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  COMMAND_GROUPS.flatMap(([, commands]) => commands.map((command) => [command.name, command])),
);
