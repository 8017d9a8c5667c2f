import type { ApprovalFilter } from 'holdfast/client';

/** The views of the inbox, by their names in the address. */
export const VIEWS = {
  mine: { label: 'Mine', filter: { status: 'pending', mine: true } },
  pending: { label: 'All pending', filter: { status: 'pending' } },
  decided: { label: 'Decided', filter: { order: 'closedAt' } },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly filter: ApprovalFilter }>>;

type View = keyof typeof VIEWS;

/** The filters of the inbox. */
export interface InboxSearch {
  readonly view: View;
  readonly graph: string;
  readonly tool: string;
  readonly due: Due;
}

/** The choices for the time until an approval expires, in hours. */
const DUES = { '': null, hour: 1, day: 24, week: 168 } as const;
export type Due = keyof typeof DUES;

const HOUR_MS = 3_600_000;
const PAGE = 50;

/** Reads the filters from the query of an address. It ignores unknown values. */
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

/** Converts the filters to those of the API. @param nowMs the current time, for `due` */
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

/** The address of an approval in the current view. */
export function toApproval(id: string, search: string): string {
  return `/inbox/${encodeURIComponent(id)}${search === '' ? '' : `?${search}`}`;
}
