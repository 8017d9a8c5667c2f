import type { Switch } from 'holdfast/client';

/** The path of a switch in the API. */
export function switchPath({ kind, name }: Pick<Switch, 'kind' | 'name'>): string {
  return `/admin/switches/${kind}/${encodeURIComponent(name)}`;
}
