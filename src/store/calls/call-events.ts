import type { RunEvent } from '../../graph/journal/index.ts';

export type CallKind = 'model' | 'tool' | 'function' | 'node';

/** The event that a call begins with in a history; that of a model comes with its answer. */
export type BeginOfCall = RunEvent & { readonly type: keyof typeof BEGINNINGS };
/** The event that the call of a tool, function or node type ends with. */
export type EndOfCall = RunEvent & { readonly type: (typeof ENDS)[number] };

/** The kinds of calls that begin with events of a type. */
export const BEGINNINGS = {
  'model.called': ['model'],
  'tool.requested': ['tool'],
  'compensation.requested': ['tool'],
  'function.requested': ['function', 'node'],
} as const satisfies Partial<Record<RunEvent['type'], readonly CallKind[]>>;
export const BEGIN_TYPES = ['model.called', 'tool.requested', 'compensation.requested', 'function.requested'] as const;
export const ENDS = ['tool.called', 'function.called'] as const;

export function isBegin(event: RunEvent): event is BeginOfCall {
  return Object.hasOwn(BEGINNINGS, event.type);
}

export function isEnd(event: RunEvent): event is EndOfCall {
  return ENDS.some((type) => type === event.type);
}

/** The kind of the call that an event begins. */
export function kindOf(event: BeginOfCall): CallKind {
  if (event.type === 'model.called') return 'model';
  if (event.type !== 'function.requested') return 'tool';
  return event.nodeType === undefined ? 'function' : 'node';
}

/** The name of the model, tool or code that is called, by the event that a call begins with. */
export function nameOf(event: BeginOfCall): string {
  switch (event.type) {
    case 'model.called':
      return event.model;
    case 'function.requested':
      return event.function ?? event.nodeType ?? '';
    default:
      return event.tool;
  }
}
