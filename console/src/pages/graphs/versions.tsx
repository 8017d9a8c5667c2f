import type { GraphSummary, Graph } from 'holdfast/client';
import { useId } from 'react';
import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages } from '../../parts/query-view.tsx';
import type { Pages } from '../../parts/query-view.tsx';

interface VersionSelectProps {
  readonly label: string;
  readonly versions: readonly Pick<GraphSummary, 'version' | 'unpublished'>[];
  readonly value: number;
  readonly onChoose: (version: number) => void;
}

/** A choice among the versions of a graph. */
export function VersionSelect({ label, versions, value, onChoose }: VersionSelectProps): JSX.Element {
  const known = versions.some(({ version }) => version === value);
  const id = useId();
  return (
    <div className="version-select">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(Number(event.target.value))}>
        {!known && <option value={value}>{value}</option>}
        {versions.map(({ version, unpublished }) => (
          <option key={version} value={version}>
            {unpublished === null ? version : `${version} (taken back)`}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A version of a graph, by default the current one. */
export function useGraph(name: string, version?: number): UseQueryResult<Graph> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.graph(name), 'version', version ?? null],
    queryFn: async ({ signal }) => await client.graphs.get(name, version, { signal }),
  });
}

const PAGE = { limit: 100 };

/** The versions of a graph, the newest first. */
export function useVersions(name: string): Pages<GraphSummary> {
  const client = useApi();
  return usePages([...KEYS.graph(name), 'versions'], (options) => client.graphs.versions(name, PAGE, options));
}
