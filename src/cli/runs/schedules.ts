import type { Client, Schedule, Tick } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { readChoiceFlag } from '../input/read-flags.ts';
import { EXIT, UsageError, defineCommand, switchFlag } from '../line/command.ts';
import type { Operands } from '../line/command.ts';
import { printList, formatTable } from '../output/lists.ts';
import { escapeInvisible } from '../../graph/values/index.ts';

type Schedules = Client['schedules'];

/** The result of an action on one schedule: for programs, and for people. */
interface ActionResult {
  readonly result: unknown;
  readonly text: string;
}

/** What the command does with one schedule, by the names of the actions. */
const ACTIONS = {
  show: async (schedules: Schedules, id: string): Promise<ActionResult> => {
    const schedule = await schedules.get(id);
    return { result: schedule, text: formatSchedule(schedule) };
  },
  pause: async (schedules: Schedules, id: string): Promise<ActionResult> => await setPaused(schedules, id, true),
  resume: async (schedules: Schedules, id: string): Promise<ActionResult> => await setPaused(schedules, id, false),
  trigger: async (schedules: Schedules, id: string): Promise<ActionResult> => {
    const tick = await schedules.trigger(id);
    return { result: tick, text: `${formatTick(tick)}\n` };
  },
  delete: async (schedules: Schedules, id: string): Promise<ActionResult> => {
    await schedules.remove(id);
    return { result: { id, deleted: true }, text: `Schedule ${id} is deleted; its runs continue\n` };
  },
} as const;

async function setPaused(schedules: Schedules, id: string, paused: boolean): Promise<ActionResult> {
  const schedule = await schedules.change(id, { paused });
  return { result: schedule, text: `Schedule ${id} is ${paused ? 'paused' : `active: ${formatNext(schedule)}`}\n` };
}

/** What a command line asks for: the list, or an action on one schedule. */
type Request = 'list' | { readonly action: keyof typeof ACTIONS; readonly id: string };

const OPERANDS: Operands<Request> = {
  shown: '[ACTION ID]',
  read(command, [action = 'list', id, ...more]) {
    const name = readChoiceFlag(command, action, { list: 'list', ...ACTIONS });
    if (name === 'list' && id === undefined) return name;
    if (name === 'list' || id === undefined || more.length > 0)
      throw new UsageError(`${command} takes nothing, or an action and the id of one schedule`);
    return { action: name, id };
  },
};

export const schedulesCommand = defineCommand({
  name: 'schedules',
  summary: 'list schedules; show, pause, resume, trigger or delete one',
  operands: OPERANDS,
  about: `Lists the schedules, the newest first. "schedules show ID" prints one with its next times and last runs; pause and
    resume stop it and let it go on; trigger fires it now; delete removes it, while its runs continue.`,
  flags: { ...LIST_FLAGS, ...accessFlags(), json: switchFlag('prints the result as JSON') },
  exits: { 0: 'listed or done', ...API_EXITS },
  async action({ values: { json, ...values }, given }, terminal) {
    const part = readListFlags(values);
    const { schedules } = await openClient(values, terminal);
    if (given === 'list') {
      const found = await readList(part, (limit) => schedules.list({ limit }));
      printList(found, { json, format: toScheduleTable, none: 'There is no schedule.' }, terminal);
      return EXIT.done;
    }
    const { result, text } = await ACTIONS[given.action](schedules, given.id);
    terminal.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : escapeInvisible(text));
    return EXIT.done;
  },
});

function toScheduleTable(schedules: readonly Schedule[]): string {
  const rows = schedules.map((schedule) => [
    schedule.id,
    schedule.graph,
    formatTimes(schedule),
    schedule.paused ? 'paused' : (schedule.nextTimes?.[0] ?? ''),
    schedule.lastRuns[0] ? formatTick(schedule.lastRuns[0]) : '',
  ]);
  return formatTable(['SCHEDULE', 'GRAPH', 'TIMES', 'NEXT', 'LAST'], rows);
}

function formatTimes({ cron, every, timeZone }: Schedule): string {
  return cron === null ? `every ${every ?? ''}` : `${cron} (${timeZone})`;
}

function formatNext({ nextTimes }: Schedule): string {
  if (nextTimes === null) return 'next time unknown';
  return nextTimes[0] === undefined ? 'no next time' : `next at ${nextTimes[0]}`;
}

function formatTick({ at, kind, outcome, runId, status, code, message }: Tick): string {
  const run = runId === null ? '' : `, run ${runId}${status === null ? '' : ` (${status})`}`;
  const reason = code === null ? '' : `: ${code}${message === null ? '' : ` ${message}`}`;
  return `${at} ${kind === 'time' ? '' : `${kind} `}${outcome}${run}${reason}`;
}

function formatSchedule(schedule: Schedule): string {
  const { id, graph, input, overlap, paused, threadId, nextTimes, lastRuns, owner, createdAt, updatedAt } = schedule;
  const facts: readonly (readonly [name: string, text: string])[] = [
    ['graph', graph],
    ['times', `${formatTimes(schedule)}, overlap: ${overlap}`],
    ['state', paused ? 'paused' : 'active'],
    ['input', JSON.stringify(input)],
    ['thread', threadId ?? ''],
    ['owner', owner],
    ['created', `${createdAt}, changed ${updatedAt}`],
    ['next', nextTimes === null ? 'unknown' : nextTimes.join(', ')],
    ...lastRuns.map((tick) => ['last', formatTick(tick)] as const),
  ];
  const lines = facts.flatMap(([name, text]) => (text === '' ? [] : [`  ${name.padEnd(9)}${text}`]));
  return [id, ...lines, ''].join('\n');
}
