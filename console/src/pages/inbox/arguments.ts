import type { Approval } from 'holdfast/client';
import { isMembers } from '../../form/fields.ts';
import { diffRows } from '../../parts/diff-rows.ts';
import type { DiffRow } from '../../parts/diff-rows.ts';

/** Names of arguments that matter most for a decision: amount, person, object. They come first. */
const IMPORTANT_NAMES = [
  /amount|total|price|sum|value/i,
  /currency/i,
  /customer|account|recipient|payee|^to$|email/i,
  /order|invoice|id$/i,
];

const MOST = 3;
const MAX_LENGTH = 40;

/** Returns the few short arguments that distinguish approvals in a list, as `name value`. */
export function mainArguments(args: unknown): readonly string[] {
  if (!isMembers(args)) return [];
  const short = Object.entries(args).flatMap(([name, value]) => {
    const text = shortText(value);
    return text === null ? [] : [{ name, text, rank: rankOf(name) }];
  });
  return short
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ name, text }) => `${name} ${text}`);
}

function rankOf(name: string): number {
  const rank = IMPORTANT_NAMES.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? IMPORTANT_NAMES.length : rank;
}

function shortText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value === '') return null;
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}

type Changed = Pick<Approval, 'args' | 'askedArgs' | 'decisions'>;

/** The changes of one person to the arguments of an approval. */
interface ArgumentChange {
  readonly by: string;
  readonly at: string;
  readonly rows: readonly DiffRow[];
}

/** Returns the changes to the arguments since the request, the earliest first; empty if they are unchanged. */
export function argumentChanges({ args, askedArgs, decisions }: Changed): readonly ArgumentChange[] {
  if (askedArgs === undefined || diffRows(askedArgs, args).length === 0) return [];
  return decisions.flatMap(({ by, at, args: decided }, index) => {
    const rows = diffRows(index === 0 ? askedArgs : decisions[index - 1]?.args, decided);
    return rows.length > 0 ? [{ by, at, rows }] : [];
  });
}

/** Returns a note for each changed field: its requested value, and who has changed it last. */
export function notesOnFields(approval: Changed): Readonly<Record<string, string>> {
  const changes = argumentChanges(approval);
  if (changes.length === 0) return {};
  const notes = diffRows(approval.askedArgs, approval.args).map((row) => {
    const name = fieldAt(row.path);
    const last = changes.findLast(({ rows }) => rows.some(({ path }) => fieldAt(path) === name));
    const was = row.path.lastIndexOf('/') > 0 ? 'A part of it was another' : `It was ${formatValue(row.before)}`;
    return [name, `${was} when it was asked; ${last?.by ?? 'somebody'} has changed it.`] as const;
  });
  return Object.fromEntries(notes);
}

/** Formats a value in one line. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
}

const LONG = 80;

function fieldAt(path: string): string {
  return (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
