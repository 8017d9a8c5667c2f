import type { JSX } from 'react';
import { Icon } from '../parts/icon.tsx';
import { placeAt } from './json-text.ts';
import type { EditorIssue } from './json-text.ts';

interface IssueListProps {
  readonly id: string;
  readonly text: string;
  readonly issues: readonly EditorIssue[];
  readonly onGoTo: (offset: number) => void;
}

/** The issues of a text; each leads to its place. */
export function IssueList({ id, text, issues, onGoTo }: IssueListProps): JSX.Element {
  return (
    <div id={id} aria-live="polite" className="editor-issues">
      {issues.length > 0 && (
        <p className="for-readers">{issues.length === 1 ? 'One issue' : `${issues.length} issues`}</p>
      )}
      <ul>
        {issues.map(({ offset, severity, message, hint }) => (
          <li key={`${offset} ${message}`} className={severity}>
            <button type="button" onClick={() => onGoTo(offset)}>
              <Icon name={severity === 'error' ? 'cross' : 'warning'} />
              <span className="editor-issue-line">line {placeAt(text, offset).line + 1}</span>
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
