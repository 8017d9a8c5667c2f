import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { visible } from '../../parts/texts.ts';
import { STATUSES } from './run-query.ts';
import type { RunSearch, SearchProblems } from './run-query.ts';

interface RunFiltersProps {
  readonly search: RunSearch;
  readonly problems: SearchProblems;
  readonly onChange: (search: RunSearch) => void;
}

type TextField = 'graph' | 'thread' | 'metadata' | 'parent';

const FIELDS: readonly (readonly [name: TextField, label: string, hint: string])[] = [
  ['graph', 'Graph', 'name'],
  ['thread', 'Thread', 'id'],
  ['metadata', 'Metadata', 'order=A-1 customer=7'],
  ['parent', 'Forks of', 'run id'],
];

/** The fields of the search. Changes apply at once. */
export function RunFilters({ search, problems, onChange }: RunFiltersProps): JSX.Element {
  const id = useId();
  const graphs = useGraphNames();
  const toggle = (status: (typeof STATUSES)[number]): void => {
    const { statuses } = search;
    const has = statuses.includes(status);
    onChange({ ...search, statuses: has ? statuses.filter((one) => one !== status) : [...statuses, status] });
  };
  return (
    <search className="card run-filters">
      <fieldset>
        <legend>Status</legend>
        <div className="row">
          {STATUSES.map((status) => (
            <label key={status} className="check">
              <input type="checkbox" checked={search.statuses.includes(status)} onChange={() => toggle(status)} />
              {status}
            </label>
          ))}
        </div>
        {problems.status !== undefined && <FilterProblem id={`${id}-status`}>{problems.status}</FilterProblem>}
      </fieldset>
      <div className="run-fields">
        {FIELDS.map(([name, label, hint]) => (
          <label key={name}>
            {label}
            <input
              type="search"
              value={search[name]}
              placeholder={hint}
              spellCheck={false}
              {...(name === 'metadata' &&
                problems.metadata !== undefined && { 'aria-invalid': true, 'aria-describedby': `${id}-metadata` })}
              {...(name === 'graph' && { list: `${id}-graphs` })}
              onChange={({ target }) => onChange({ ...search, [name]: target.value })}
            />
          </label>
        ))}
      </div>
      {problems.metadata !== undefined && <FilterProblem id={`${id}-metadata`}>{problems.metadata}</FilterProblem>}
      {problems.address !== undefined && <FilterProblem id={`${id}-address`}>{problems.address}</FilterProblem>}
      <datalist id={`${id}-graphs`}>
        {graphs.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </search>
  );
}

function FilterProblem({ id, children }: { readonly id: string; readonly children: string }): JSX.Element {
  return (
    <p id={id} className="problem-text small-text" role="alert">
      {visible(children)}
    </p>
  );
}

const MOST_NAMES = 200;

function useGraphNames(): readonly string[] {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.graphs, 'names'],
    queryFn: async ({ signal }) => await client.graphs.list({ limit: MOST_NAMES }, { signal }).page(),
  });
  return data?.items.map(({ name }) => name) ?? [];
}
