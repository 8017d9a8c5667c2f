import { HoldfastError } from 'holdfast/client';

/** What is wrong with a request, where it belongs. */
export interface PlacedIssues {
  /** By the names of fields. */
  readonly byField: Readonly<Record<string, string>>;
  /** What belongs to no field. */
  readonly others: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Places the issues of a refused request at the fields of a form.
 * @param place the JSON Pointer of the object that the form fills; empty for the whole body
 */
export function issuesByField(error: unknown, names: readonly string[], place = ''): PlacedIssues {
  const issues = error instanceof HoldfastError ? error.issues : [];
  const placed = issues.map(({ path, message }) => ({ path, message, name: fieldAt(path, place) }));
  const isPlaced = ({ name }: (typeof placed)[number]): boolean => name !== null && names.includes(name);
  return {
    byField: Object.fromEntries(placed.filter(isPlaced).map(({ name, message }) => [name, message])),
    others: placed.filter((issue) => !isPlaced(issue)).map(({ path, message }) => ({ path, message })),
  };
}

function fieldAt(path: string, place: string): string | null {
  if (!path.startsWith(`${place}/`)) return null;
  const token = path.slice(place.length + 1).split('/')[0] ?? '';
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
