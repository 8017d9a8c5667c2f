import { useSearchParams } from 'wouter';

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
