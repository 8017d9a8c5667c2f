import type { NewSwitch, Switch } from 'holdfast/client';
import { isMembers } from '../../../form/fields-of.ts';

type Kind = Switch['kind'];

/** The kinds of things that can be switched off, in words: the compiler asks for each of the API's. */
const WORDS: Readonly<Record<Kind, string>> = {
  tool: 'tool',
  model: 'model',
  function: 'function',
  'node-type': 'node type',
  graph: 'graph',
};

/** The choices of a form. */
export const KINDS = Object.entries(WORDS).map(([kind, title]) => ({ const: kind, title }));

type Members = Readonly<Record<string, unknown>>;

/**
 * What the form begins with: the opposite of what a switch says, or the thing that the address names.
 * @param turned the switch that is turned; `null` for a new one
 */
export function toSwitchForm(turned: Switch | null, search: URLSearchParams): Members {
  if (turned === null) {
    const state = search.get('state') === 'on' ? 'on' : 'off';
    const kind = search.get('kind') ?? 'tool';
    return { kind: isKind(kind) ? kind : undefined, name: search.get('name') ?? '', state };
  }
  const { kind, name, state, tenants } = turned;
  return { kind, name, state: state === 'off' ? 'on' : 'off', tenants: tenants?.join(', ') };
}

/** Reads the form as the API takes it. No tenant means all of them. */
export function readSwitch(value: unknown): NewSwitch {
  const { kind, name, state, reason, tenants } = isMembers(value) ? value : {};
  const named = textOf(tenants)
    .split(/[\s,]+/)
    .filter((tenant) => tenant !== '');
  return {
    kind: isKind(kind) ? kind : 'tool',
    name: textOf(name),
    state: state === 'on' ? 'on' : 'off',
    reason: textOf(reason),
    ...(named.length > 0 && { tenants: named }),
  };
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(WORDS, value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
