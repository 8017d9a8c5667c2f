import { useMemo } from 'react';
import type { JSX } from 'react';
import { placeAt } from './json-text.ts';
import type { EditorIssue } from './json-text.ts';

interface LineNumbersProps {
  readonly text: string;
  readonly issues: readonly EditorIssue[];
}

/** The numbers beside a text. Lines with issues stand out; readers have the list of issues. */
export function LineNumbers({ text, issues }: LineNumbersProps): JSX.Element {
  const looks = useMemo(() => looksOf(text, issues), [text, issues]);
  return (
    <div className="editor-lines mono" aria-hidden="true">
      {text.split('\n').map((_, line) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines are their numbers
        <div key={line} className={looks.get(line)}>
          {line + 1}
        </div>
      ))}
    </div>
  );
}

function looksOf(text: string, issues: readonly EditorIssue[]): ReadonlyMap<number, string> {
  const looks = new Map<number, string>();
  for (const { offset, severity } of issues) {
    const { line } = placeAt(text, offset);
    if (looks.get(line) !== 'error') looks.set(line, severity);
  }
  return looks;
}
