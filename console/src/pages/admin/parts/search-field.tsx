import type { JSX } from 'react';
import { useSearchField } from './use-search-field.ts';

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
