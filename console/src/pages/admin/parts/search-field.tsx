import type { JSX } from 'react';
import { useSearchField } from './use-search-field.ts';

interface SearchFieldProps {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
  /** What may be written; by default the label. */
  readonly hint?: string;
}

/** A field that narrows a list down. It is looked for as it is typed. */
export function SearchField({ name, label, hint = label }: SearchFieldProps): JSX.Element {
  const [value, set] = useSearchField(name);
  return (
    <input
      aria-label={label}
      placeholder={hint}
      spellCheck={false}
      value={value}
      onChange={({ target }) => set(target.value)}
    />
  );
}
