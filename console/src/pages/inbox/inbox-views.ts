import type { ApprovalFilter } from 'holdfast/client';

/** The views of the inbox, by their names in the address. */
export const VIEWS = {
  mine: { label: 'Mine', filter: { status: 'pending', mine: true } },
  pending: { label: 'All pending', filter: { status: 'pending' } },
  decided: { label: 'Decided', filter: { order: 'closedAt' } },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly filter: ApprovalFilter }>>;

export type View = keyof typeof VIEWS;

/** What the inbox shows. */
export interface InboxSearch {
  readonly view: View;
  readonly graph: string;
  readonly tool: string;
  readonly due: Due;
}

/** How soon an approval expires, in hours; all where nothing is chosen. */
export const DUES = { '': null, hour: 1, day: 24, week: 168 } as const;
export type Due = keyof typeof DUES;

const HOUR_MS = 3_600_000;
const PAGE = 50;

/** Reads what an address asks for. What it does not know counts as nothing. */
export function readInboxSearch(search: URLSearchParams): InboxSearch {
  const view = search.get('view') ?? '';
  const due = search.get('due') ?? '';
  return {
    view: isOneOf(VIEWS, view) ? view : 'mine',
    graph: search.get('graph') ?? '',
    tool: search.get('tool') ?? '',
    due: isOneOf(DUES, due) ? due : '',
  };
}

function isOneOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name);
}

/** Makes the question for the API. @param nowMs what `due` counts from */
export function toFilter({ view, graph, tool, due }: InboxSearch, nowMs: number): ApprovalFilter {
  const hours = DUES[due];
  return {
    ...VIEWS[view].filter,
    limit: PAGE,
    ...(graph !== '' && { graph }),
    ...(tool !== '' && { tool }),
    ...(hours !== null && { dueBefore: new Date(nowMs + hours * HOUR_MS).toISOString() }),
  };
}

/** The way to an approval, in the same view. */
export function toApproval(id: string, search: string): string {
  return `/inbox/${encodeURIComponent(id)}${search === '' ? '' : `?${search}`}`;
}
