import type { Fork } from 'holdfast/client';
import { readJsonText } from '../../../form/draft.ts';
import type { Control, Target } from './controls.ts';

/** What stands in the fields of a control: texts, of which some are JSON. */
export interface ControlDraft {
  /** What a control is for: the key of a target. */
  readonly target: string;
  readonly node: string;
  readonly reason: string;
  /** JSON */
  readonly values: string;
  /** JSON */
  readonly output: string;
  /** JSON */
  readonly limits: string;
}

export type DraftField = keyof ControlDraft;

export const EMPTY_DRAFT: ControlDraft = { target: '', node: '', reason: '', values: '', output: '', limits: '' };

/** The fields of each control, in the order in which they are shown. */
export const FIELDS: Readonly<Record<Control, readonly DraftField[]>> = {
  retry: ['target', 'limits'],
  skip: ['target', 'output'],
  fail: ['target', 'reason'],
  replan: ['node', 'values'],
  pause: ['reason'],
  resume: ['values'],
  edit: ['values', 'node'],
  cancel: ['reason'],
};

/** Fields that must not be empty. */
const NEEDED: Readonly<Partial<Record<Control, readonly DraftField[]>>> = {
  retry: ['target'],
  skip: ['target', 'output'],
  fail: ['target'],
  replan: ['node'],
  edit: ['values'],
};

/** The body of a request, or what is wrong with the fields by their names. */
export type ReadBody =
  | { readonly body: Readonly<Record<string, unknown>> }
  | { readonly problems: Readonly<Partial<Record<DraftField, string>>> };

/** Reads the fields of a control. */
export function readBody(control: Control, draft: ControlDraft, targets: readonly Target[]): ReadBody {
  const problems: Partial<Record<DraftField, string>> = {};
  const body: Record<string, unknown> = {};
  for (const field of FIELDS[control]) {
    const text = draft[field].trim();
    if (text === '') {
      if (NEEDED[control]?.includes(field)) problems[field] = 'This is needed';
      continue;
    }
    const read = READERS[field](text, { control, targets });
    if ('problem' in read) problems[field] = read.problem;
    else Object.assign(body, read.members);
  }
  return Object.keys(problems).length > 0 ? { problems } : { body };
}

type Read = { readonly members: Readonly<Record<string, unknown>> } | { readonly problem: string };

interface Reading {
  readonly control: Control;
  readonly targets: readonly Target[];
}

const READERS: Readonly<Record<DraftField, (text: string, reading: Reading) => Read>> = {
  target: (text, { targets }) => readTarget(targets.find(({ key }) => key === text)),
  node: (text, { control }) => ({ members: control === 'edit' ? { asNode: text } : { node: text } }),
  reason: (text) => ({ members: { reason: text } }),
  values: (text) => readObject('values', text),
  limits: (text) => readObject('limits', text),
  output(text) {
    const read = readJsonText(text);
    return 'problem' in read ? read : { members: { output: read.value } };
  },
};

/** Without its target, a control would be for whatever waits by then. */
function readTarget(found: Target | undefined): Read {
  return found ? { members: found.named } : { problem: 'It is not there any more' };
}

function readObject(name: string, text: string): Read {
  const read = readJsonText(text);
  if ('problem' in read) return read;
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { members: { [name]: value } } : { problem: 'An object is needed, such as {"amount": 60}' };
}

/** What stands in the fields of a fork. */
interface ForkDraft {
  readonly checkpoint: string;
  /** JSON */
  readonly values: string;
  readonly asNode: string;
  readonly graph: string;
}

/** Reads the fields of a fork. What is empty is left out. */
export function readFork({
  checkpoint,
  values,
  asNode,
  graph,
}: ForkDraft): { readonly fork: Fork } | { readonly problem: string } {
  const read = values.trim() === '' ? { value: {} } : readJsonText(values);
  if ('problem' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'An object is needed, such as {"amount": 60}' };
  return {
    fork: {
      checkpoint,
      ...(Object.keys(value).length > 0 && { values: { ...value } }),
      ...(asNode !== '' && { asNode }),
      ...(graph.trim() !== '' && { graph: graph.trim() }),
    },
  };
}

/** A target that a dialog offers, or has offered. */
export interface TargetOption extends Target {
  /** True: it was settled, or has failed anew, since the dialog opened. */
  readonly isGone: boolean;
}

/** Joins the targets of a run with those that a dialog has opened with, so that what was chosen never becomes another one. */
export function withEndedTargets(opened: readonly Target[], now: readonly Target[]): readonly TargetOption[] {
  const keys = new Set(now.map(({ key }) => key));
  const gone = opened.filter(({ key }) => !keys.has(key));
  return [
    ...gone.map((target) => ({ ...target, isGone: true })),
    ...now.map((target) => ({ ...target, isGone: false })),
  ];
}

/** True if what a control was for is not there any more. */
export function lacksTarget(control: Control, draft: ControlDraft, offered: readonly TargetOption[]): boolean {
  if (!FIELDS[control].includes('target')) return false;
  return !offered.some(({ key, isGone }) => key === draft.target && !isGone);
}
