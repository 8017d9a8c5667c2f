import { useId, useRef } from 'react';
import type { ChangeEvent, JSX, KeyboardEvent } from 'react';
import { CompletionList } from './completion-list.tsx';
import type { Completion } from './completions.ts';
import './editor.css';
import type { EditorIssue } from './json-text.ts';
import { indentAfter } from './indent-after.ts';
import { IssueList } from './issue-list.tsx';
import { LineNumbers } from './line-numbers.tsx';
import { useCompletions } from './use-completions.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The JSON Schema of the whole, for completions. */
  readonly schema: unknown;
  readonly issues: readonly EditorIssue[];
}

/** After these, completions show themselves. */
const BEGINS_A_WORD = /["\w]/;

/** An editor of JSON: line numbers, issues at their lines, and completions from a JSON Schema (Ctrl+Space). */
export function JsonEditor({ label, text, onChange, schema, issues }: JsonEditorProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const completions = useCompletions(text, schema);
  const isOpen = completions.items.length > 0;
  const take = ({ from, to, insert }: Completion): void => {
    area.current?.setSelectionRange(from, to);
    type(insert);
    completions.close();
  };
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLTextAreaElement>): void => {
    onChange(target.value);
    const typed = nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertText' ? nativeEvent.data : null;
    if (typed !== null && typed.length === 1 && BEGINS_A_WORD.test(typed)) completions.open(target.selectionStart);
    else completions.close();
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    const { selectionStart } = event.currentTarget;
    const actions: Readonly<Record<string, (() => void) | undefined>> = {
      ...(isOpen && {
        ArrowDown: () => completions.move(1),
        ArrowUp: () => completions.move(-1),
        Escape: () => completions.close(),
      }),
      Enter: () => {
        const chosen = completions.items[completions.chosen];
        if (chosen) take(chosen);
        else type(`\n${indentAfter(text.slice(0, selectionStart))}`);
      },
      ...(event.ctrlKey && { ' ': () => completions.open(selectionStart) }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const goTo = (offset: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset);
  };
  return (
    <div className="editor">
      <div className="editor-scroll">
        <LineNumbers text={text} issues={issues} />
        <div className="editor-text">
          <textarea
            ref={area}
            className="mono"
            aria-label={label}
            aria-describedby={`${id}-issues`}
            aria-controls={`${id}-list`}
            aria-activedescendant={isOpen ? `${id}-${completions.chosen}` : undefined}
            aria-autocomplete="list"
            wrap="off"
            spellCheck={false}
            autoComplete="off"
            rows={text.split('\n').length}
            value={text}
            onChange={change}
            onKeyDown={press}
            onBlur={() => completions.close()}
          />
          <CompletionList id={id} text={text} completions={completions} onTake={take} />
        </div>
      </div>
      <IssueList id={`${id}-issues`} text={text} issues={issues} onGoTo={goTo} />
    </div>
  );
}

/** Types a text in place of the selection. Unlike a change by code, it can be undone. */
function type(text: string): void {
  document.execCommand('insertText', false, text);
}
