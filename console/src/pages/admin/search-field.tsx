import type { JSX } from 'react';
import { useSearchParams } from 'wouter';

interface SearchFieldProps {
  /** Its query parameter in the address. */
  readonly name: string;
  readonly label: string;
  /** A hint on the expected input. */
  readonly hint?: string;
}

/** A filter of a list. It is applied while the person types. */
export function SearchField({ name, label, hint }: SearchFieldProps): JSX.Element {
  const [value, set] = useSearchField(name);
  return (
    <label>
      {label}
      <input placeholder={hint} spellCheck={false} value={value} onChange={({ target }) => set(target.value)} />
    </label>
  );
}

/** A query parameter of the address as state; empty if the filter is not set. */
export function useSearchField(name: string): readonly [value: string, set: (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string): void =>
    setSearch(
      (before) => {
        const { [name]: _, ...others } = Object.fromEntries(before);
        return new URLSearchParams(value === '' ? others : { ...others, [name]: value });
      },
      { replace: true },
    );
  return [search.get(name) ?? '', set];
}
