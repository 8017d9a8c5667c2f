import { autocompletion } from '@codemirror/autocomplete';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completionsAt } from './completions.ts';
import { endOfToken } from './json-text.ts';
import type { EditorIssue } from './json-text.ts';

interface CodeViewOptions {
  /** The element that gets a shadow root, unless it has one already. */
  readonly host: HTMLElement;
  /** The accessible name of the text. */
  readonly label: string;
  readonly text: string;
  /** Receives the text after each edit by the person, not after `setText`. */
  readonly onEdit: (text: string) => void;
}

/** The text area of the editor. */
export interface CodeView {
  /** Replaces the text, which can be undone. The same text changes nothing. */
  readonly setText: (text: string) => void;
  readonly setIssues: (issues: readonly EditorIssue[]) => void;
  /** @param schema the JSON Schema of the whole text, for completions */
  readonly setSchema: (schema: unknown) => void;
  /** Moves the cursor, and the focus to the text. */
  readonly goTo: (offset: number) => void;
  /** The element with the role `textbox`. */
  readonly textbox: HTMLElement;
  readonly destroy: () => void;
}

/**
 * Opens a CodeMirror for JSON. It is in a shadow root, where CodeMirror adopts style sheets: the content security policy of the
 * console refuses `style` elements.
 */
export function openCodeView({ host, label, text, onEdit }: CodeViewOptions): CodeView {
  const completion = new Compartment();
  const view = new EditorView({
    root: host.shadowRoot ?? host.attachShadow({ mode: 'open' }),
    doc: text,
    extensions: [
      EXTENSIONS,
      completion.of(complete(null)),
      // A contenteditable element can be focused without `tabindex`, but axe requires it within a scrollable region.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.domEventHandlers({ beforeinput: replaceSelection }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        const isEdit = docChanged && !transactions.some((transaction) => transaction.annotation(BY_PROGRAM));
        if (isEdit) onEdit(state.doc.toString());
      }),
    ],
  });
  host.shadowRoot?.replaceChildren(view.dom);
  return {
    setText(next) {
      if (view.state.doc.toString() === next) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        annotations: BY_PROGRAM.of(true),
      });
    },
    setIssues: (issues) => view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state.doc.toString(), issues))),
    setSchema: (schema) => view.dispatch({ effects: completion.reconfigure(complete(schema)) }),
    goTo(offset) {
      view.dispatch({ selection: { anchor: Math.min(offset, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    },
    textbox: view.contentDOM,
    destroy: () => view.destroy(),
  };
}

/**
 * Replaces the selection by what is typed. A browser that edits the elements of several lines itself gives some of them a
 * `style`, which the content security policy refuses.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { inputType, data } = event;
  if (inputType !== 'insertText' || data === null) return false;
  const { from, to } = selectedIn(event, view);
  if (from === to) return false;
  view.dispatch({
    changes: { from, to, insert: data },
    selection: { anchor: from + data.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  event.preventDefault();
  return true;
}

/** The selection of the editor. CodeMirror may receive a selection of the browser a moment after the event. */
function selectedIn(event: InputEvent, view: EditorView): { readonly from: number; readonly to: number } {
  const { main } = view.state.selection;
  const [range] = event.getTargetRanges();
  if (!main.empty || !range) return main;
  return {
    from: view.posAtDOM(range.startContainer, range.startOffset),
    to: view.posAtDOM(range.endContainer, range.endOffset),
  };
}

/** Marks a change that the person has not made. */
const BY_PROGRAM = Annotation.define<boolean>();

/** Completions open after these characters. */
const BEGINS_A_WORD = /["\w]/;

function complete(schema: unknown): Extension {
  const source = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    if (!explicit && !BEGINS_A_WORD.test(text.slice(pos - 1, pos))) return null;
    const options = completionsAt(text, pos, schema);
    const [first] = options;
    if (!first) return null;
    const { from, to } = first;
    return {
      from,
      to,
      filter: false,
      options: options.map(({ label, about, insert }) => ({
        label,
        apply: insert,
        ...(about !== null && { detail: about }),
      })),
    };
  };
  // Without delays, Enter right after a keystroke takes the completion rather than break the line.
  return autocompletion({ override: [source], icons: false, activateOnTypingDelay: 0, interactionDelay: 0 });
}

function toDiagnostics(text: string, issues: readonly EditorIssue[]): readonly Diagnostic[] {
  return issues.map(({ offset, severity, message, hint }) => {
    const from = Math.min(offset, text.length);
    const to = endOfToken(text, from);
    return { from, to, severity, message: hint === undefined ? message : `${message} ${hint}` };
  });
}

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--text)' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--accent)' },
]);

/** Base styles of CodeMirror are for light pages; these follow the theme of the console. */
const THEME = EditorView.theme({
  '&': { color: 'var(--text)', background: 'var(--surface)', maxHeight: 'min(70vh, 60rem)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.875em', lineHeight: '1.4rem', overflow: 'auto' },
  '.cm-content': { padding: 'var(--gap-s) 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.6rem' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--muted)', border: '0' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)' },
  // The partner of a bracket may be beyond the scanned range; real errors are diagnostics.
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { background: 'none' },
  '.cm-selectionMatch, .cm-searchMatch': { background: 'var(--warn-soft)' },
  '.cm-searchMatch.cm-searchMatch-selected': { background: 'var(--info-soft)' },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--text)', fontFamily: 'var(--font)' },
  '.cm-button, .cm-textfield': {
    background: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
  },
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    width: '26rem',
    maxWidth: '90vw',
    maxHeight: '14rem',
    fontFamily: 'var(--font)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--text)',
    boxShadow: 'inset 3px 0 0 var(--accent)',
  },
  '.cm-completionLabel': { fontFamily: 'var(--mono)', fontSize: '0.875em' },
  '.cm-completionMatchedText': { textDecoration: 'none' },
  '.cm-completionDetail': {
    display: 'block',
    margin: '0',
    color: 'var(--muted)',
    fontStyle: 'normal',
    fontSize: 'var(--size-s)',
    whiteSpace: 'normal',
  },
});

const EXTENSIONS: Extension = [
  lineNumbers(),
  lintGutter(),
  history(),
  json(),
  syntaxHighlighting(COLORS),
  bracketMatching(),
  highlightSelectionMatches(),
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
  THEME,
];
