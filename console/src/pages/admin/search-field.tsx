import type { JSX } from 'react';
import { useSearchParams } from 'wouter';

interface SearchFieldProps {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
  /** What may be written. */
  readonly hint?: string;
}

/** A field that narrows a list down. It is looked for as it is typed. */
export function SearchField({ name, label, hint }: SearchFieldProps): JSX.Element {
  const [value, set] = useSearchField(name);
  return (
    <label>
      {label}
      <input placeholder={hint} spellCheck={false} value={value} onChange={({ target }) => set(target.value)} />
    </label>
  );
}

/** A part of what is looked for, as it stands in the address; empty: it narrows nothing. */
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
