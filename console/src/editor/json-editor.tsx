import { useEffect, useEffectEvent, useRef } from 'react';
import type { JSX } from 'react';
import { flushSync } from 'react-dom';
import { openCodeView } from './code-view.ts';
import type { CodeView } from './code-view.ts';
import './editor.css';
import { IssueList } from './issue-list.tsx';
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
