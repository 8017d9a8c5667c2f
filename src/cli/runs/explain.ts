import type { Client, Explanation, Run } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient, openLocalClients } from '../input/api-access.ts';
import type { LocalClients } from '../input/api-access.ts';
import { EXIT, defineCommand, oneOperand, switchFlag } from '../line/command.ts';
import { formatStatusSince } from '../output/run-texts.ts';
import { TONE_BY_STATUS, paintFor } from '../output/style.ts';
import type { Tone } from '../../wording/index.ts';
import { APPROVER } from './approvals.ts';
import { formatFailedCall } from './interventions.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'say why a run waits or has stopped',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Says why a run waits or has stopped, since when, what is left of its limits, and who can do what now, with the
    commands. On a stack of this machine each command is one that a token of its tokens file may send; elsewhere, what you
    may not do has no command.`,
  flags: { ...accessFlags(), json: switchFlag('prints the explanation as JSON') },
  exits: { 0: 'explained', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const explanation = await runs.explain(id);
    if (values.json) {
      terminal.stdout.write(`${JSON.stringify(explanation, null, 2)}\n`);
      return EXIT.done;
    }
    const [run, local] = await Promise.all([runs.get(id), openLocalClients(values, terminal)]);
    const views = local && (await readViews(explanation, local));
    const paint = paintFor(terminal.stdout, terminal.env);
    for (const [tone, line] of explanationLines(explanation, run, views))
      terminal.stdout.write(`${paint(tone, line.replaceAll('\n', ' '))}\n`);
    return EXIT.done;
  },
});

/** The explanations of a run for the people of a local stack, by their names. */
type Views = ReadonlyMap<string, Explanation>;

/** Reads what others of the local stack may do, if the reader may not do everything. */
async function readViews(explanation: Explanation, { reader, others }: LocalClients): Promise<Views> {
  if (explanation.actions.every(({ allowed }) => allowed)) return new Map([[reader, explanation]]);
  const read = async ([name, client]: readonly [string, Client]) => {
    const view = await client.runs.explain(explanation.runId).catch(() => null);
    return view === null ? [] : [[name, view] as const];
  };
  return new Map([[reader, explanation], ...(await Promise.all([...others].map(read))).flat()]);
}

/** A line of an explanation, and how it is meant. */
type ExplanationLine = readonly [tone: Tone | null, text: string];

function explanationLines(
  explanation: Explanation,
  { waitingFor }: Run,
  views: Views | null,
): readonly ExplanationLine[] {
  const { runId, status, since, reasons, budget, deadline, actions } = explanation;
  const left = budget.map(({ limit, allowed, left: rest }) => `${limit} ${rest} of ${allowed}`);
  const failedCall = (id: string | undefined): readonly string[] => {
    const waiting = waitingFor.find((one) => one.kind === 'intervention' && one.id === id);
    return waiting?.kind === 'intervention' ? formatFailedCall(waiting).map((line) => `    ${line}`) : [];
  };
  const plain = (line: string): ExplanationLine => [null, line];
  return [
    ['heading', formatStatusSince({ id: runId, status }, since)],
    ...reasons.flatMap(({ kind, text, id }): readonly ExplanationLine[] => [
      [TONE_BY_STATUS[status], `  ${text}`],
      ...(kind === 'intervention' ? failedCall(id).map(plain) : []),
    ]),
    ...(left.length > 0 ? [plain(`  left: ${left.join(', ')}`)] : []),
    ...(deadline ? [plain(`  deadline: ${deadline.at ?? 'stands still'}. ${deadline.effect}`)] : []),
    ...actions.flatMap((action) => formatAction(action, views).map(plain)),
  ];
}

type Action = Explanation['actions'][number];

/** @param views `null` outside a local stack */
function formatAction(action: Action, views: Views | null): readonly string[] {
  const ownCommand = action.allowed ? action.command.holdfast : null;
  const command = views ? findLocalCommand(action, views) : ownCommand;
  return [
    `${action.action}: ${action.effect}`,
    ...(action.allowed ? [] : [`  by ${action.who}`]),
    ...(command === null ? [] : [`  ${command}`]),
  ];
}

/** Finds a command that somebody of the local stack may send; best one that needs no `--as`. */
function findLocalCommand(action: Action, views: Views): string | null {
  const byDefault = isDecision(action) ? APPROVER : 'user';
  for (const name of new Set([byDefault, ...views.keys()])) {
    const found = views.get(name)?.actions.find((other) => other.allowed && isSame(other, action));
    if (found) return `${found.command.holdfast}${name === byDefault ? '' : ` --as ${name}`}`;
  }
  return null;
}

function isDecision({ action }: Action): boolean {
  return action === 'approve' || action === 'reject';
}

/** The digest of an approval differs between people, because parts of it may be hidden. */
function isSame(one: Action, other: Action): boolean {
  const [left, right] = [one, other].map((each) => each.command.holdfast.split(' --digest ')[0]);
  return one.action === other.action && left === right;
}
