import type { Fork } from 'holdfast/client';
import { readJsonText } from '../../../form/draft.ts';
import type { Control, Target } from './controls.ts';

/** The fields of a control as texts; some are JSON. */
export interface ControlDraft {
  /** The key of the target. */
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

/** The fields of each control, in display order. */
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

/** The body of a request, or the problems by field name. */
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

type ReadResult = { readonly members: Readonly<Record<string, unknown>> } | { readonly problem: string };

interface DraftSource {
  readonly control: Control;
  readonly targets: readonly Target[];
}

const READERS: Readonly<Record<DraftField, (text: string, reading: DraftSource) => ReadResult>> = {
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

/** Requires the target: without one, the control would apply to whatever waits when it arrives. */
function readTarget(found: Target | undefined): ReadResult {
  return found ? { members: found.named } : { problem: 'It is not there any more' };
}

function readObject(name: string, text: string): ReadResult {
  const read = readJsonText(text);
  if ('problem' in read) return read;
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { members: { [name]: value } } : { problem: 'An object is needed, such as {"amount": 60}' };
}

/** The fields of a fork. */
interface ForkDraft {
  readonly checkpoint: string;
  /** JSON */
  readonly values: string;
  readonly asNode: string;
  readonly graph: string;
}

/** Converts the fields of a fork to a request, without empty ones. */
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

/** A target in a dialog. */
export interface TargetOption extends Target {
  /** True if it was settled, or has failed again, since the dialog opened. */
  readonly isGone: boolean;
}

/** Joins the current targets of a run with those from the opening of a dialog, so that a selection never changes its meaning. */
export function withEndedTargets(opened: readonly Target[], now: readonly Target[]): readonly TargetOption[] {
  const keys = new Set(now.map(({ key }) => key));
  const gone = opened.filter(({ key }) => !keys.has(key));
  return [
    ...gone.map((target) => ({ ...target, isGone: true })),
    ...now.map((target) => ({ ...target, isGone: false })),
  ];
}

/** True if the target of a control is gone. */
export function lacksTarget(control: Control, draft: ControlDraft, offered: readonly TargetOption[]): boolean {
  if (!FIELDS[control].includes('target')) return false;
  return !offered.some(({ key, isGone }) => key === draft.target && !isGone);
}
