import type { JSX, Ref } from 'react';
import { Icon } from '../parts/icon.tsx';
import { lineAt } from './json-text.ts';
import type { EditorIssue } from './json-text.ts';

interface IssueListProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly text: string;
  readonly issues: readonly EditorIssue[];
  readonly onGoTo: (offset: number) => void;
}

/** The list of issues. A click on one moves the cursor to its position. */
export function IssueList({ ref, text, issues, onGoTo }: IssueListProps): JSX.Element {
  return (
    <div ref={ref} aria-live="polite" className="editor-issues">
      {issues.length > 0 && (
        <p className="for-readers">{issues.length === 1 ? 'One issue' : `${issues.length} issues`}</p>
      )}
      <ul>
        {issues.map(({ offset, severity, message, hint }) => (
          <li key={`${offset} ${message}`} className={severity}>
            <button type="button" onClick={() => onGoTo(offset)}>
              <Icon name={severity === 'error' ? 'cross' : 'warning'} />
              <span className="editor-issue-line">line {lineAt(text, offset)}</span>
              <span>
                <span className="for-readers">{severity}: </span>
                {message}
                {hint !== undefined && <span className="muted"> {hint}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
