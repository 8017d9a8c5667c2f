import type { GraphSummary } from 'holdfast/client';
import { useId } from 'react';
import type { JSX } from 'react';

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
