import { useEffect, useEffectEvent, useRef } from 'react';
import type { JSX, Ref } from 'react';
import { flushSync } from 'react-dom';
import { openCodeView } from './code-view.ts';
import type { CodeView } from './code-view.ts';
import './editor.css';
import { Icon } from '../parts/icon.tsx';
import { lineAt } from './json-text.ts';
import type { EditorIssue } from './json-text.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The JSON Schema of the whole, for completions. */
  readonly schema: unknown;
  readonly issues: readonly EditorIssue[];
}

/** An editor of JSON: line numbers, issues at their lines, and completions from a JSON Schema (Ctrl+Space). */
export function JsonEditor({ label, text, onChange, schema, issues }: JsonEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView>(null);
  // The next keystroke must not find a `text` of an earlier render.
  const edit = useEffectEvent((next: string) => flushSync(() => onChange(next)));
  const atFirst = useEffectEvent(() => ({ label, text }));
  useEffect(() => {
    if (!host.current || !list.current) return;
    const opened = openCodeView({ host: host.current, ...atFirst(), onEdit: (next) => edit(next) });
    // `aria-describedby` cannot refer to an element outside of the shadow root.
    opened.textbox.ariaDescribedByElements = [list.current];
    view.current = opened;
    return () => opened.destroy();
  }, []);
  useEffect(() => view.current?.setText(text), [text]);
  useEffect(() => view.current?.setSchema(schema), [schema]);
  useEffect(() => view.current?.setIssues(issues), [issues]);
  return (
    <div className="editor">
      <div ref={host} className="editor-code" />
      <IssueList ref={list} text={text} issues={issues} onGoTo={(offset) => view.current?.goTo(offset)} />
    </div>
  );
}

interface IssueListProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly text: string;
  readonly issues: readonly EditorIssue[];
  readonly onGoTo: (offset: number) => void;
}

/** The list of issues. A click on one moves the cursor to its position. */
function IssueList({ ref, text, issues, onGoTo }: IssueListProps): JSX.Element {
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
