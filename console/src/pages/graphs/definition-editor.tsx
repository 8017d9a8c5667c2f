import type { Graph } from 'holdfast/client';
import { Suspense, useEffect, useState } from 'react';
import type { JSX, ReactNode } from 'react';
import { useLocation, Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { isMembers } from '../../form/fields.ts';
import { Diagram } from '../../graph/diagram.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Loading, Notice, Problem } from '../../parts/notices.tsx';
import { lazyPart } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { useKeptDraft, useUnsaved } from '../../session/kept-drafts.ts';
import { useIssues } from './use-issues.ts';
import type { Checked } from './use-issues.ts';
import { toGraph } from '../paths.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import './graphs.css';

/** The pages of graphs open without the code of the editor. */
const JsonEditor = lazyPart(async () => (await import('../../editor/json-editor.tsx')).JsonEditor);

interface DefinitionEditorProps {
  readonly initial: unknown;
  /** The name of the graph to change; empty for a new one. */
  readonly of: string;
  /** The version that the text starts from. */
  readonly base: string;
  readonly onPublished: (graph: Graph) => void;
}

const WORDS: Readonly<Record<Checked['state'], readonly [status: string, label: string]>> = {
  broken: ['failed', 'no JSON object yet'],
  checking: ['running', 'being checked'],
  invalid: ['failed', 'can’t be published'],
  valid: ['completed', 'can be published'],
  unknown: ['unknown', 'not checked'],
};

/** An editor of a definition as JSON, with its issues, a preview of its diagram, and a button that publishes it. */
function DefinitionEditor({ initial, of, base, onPublished }: DefinitionEditorProps): JSX.Element {
  const client = useApi();
  const { text, setText, notice, drop } = useKeptText(JSON.stringify(initial, null, 2), of, base);
  const schema = useDefinitionSchema();
  const checked = useIssues(text);
  const { definition, state, issues, error } = checked;
  const [status, label] = WORDS[state];
  const body = definition ?? {};
  return (
    <div className="stack">
      {notice}
      <div className="row">
        <span role="status">
          <Status of={status} label={label} />
        </span>
        <span className="muted small-text">
          <kbd>Ctrl</kbd> <kbd>Space</kbd> completes
        </span>
        <button
          type="button"
          className="button small"
          disabled={definition === null}
          onClick={() => setText(JSON.stringify(definition, null, 2))}
        >
          Format
        </button>
      </div>
      <Suspense fallback={<Loading what="Loading the editor" />}>
        <JsonEditor label="Definition" text={text} onChange={setText} schema={schema} issues={issues} />
      </Suspense>
      {error !== null && <Problem error={error} />}
      <ActionButton
        label="Publish"
        look="primary"
        disabled={state !== 'valid'}
        request={{ method: 'POST', path: '/api/graphs', body }}
        send={async (options) => await client.graphs.publish(body, options)}
        stale={[KEYS.graphs]}
        onDone={(graph) => {
          drop();
          onPublished(graph);
        }}
      />
      {definition !== null && isMembers(definition['nodes']) && <Preview definition={definition} />}
    </div>
  );
}

interface KeptText {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** A notice about a restored or an outdated draft. */
  readonly notice: ReactNode;
  readonly drop: () => void;
}

/** The text in the editor. A draft for the same version is restored; a draft for another version only if the person wants it. */
function useKeptText(initial: string, of: string, base: string): KeptText {
  const { found, outdated, keep, drop } = useKeptDraft<string>(`graph ${of}`, base);
  const [text, setText] = useState(found ?? initial);
  const isWritten = text !== initial;
  useEffect(() => keep(isWritten ? text : null), [keep, isWritten, text]);
  useUnsaved(isWritten);
  const take = (next: string): void => {
    drop();
    setText(next);
  };
  const notice =
    outdated !== null ? (
      <Notice kind="warn">
        You had written something for another version of this graph. It is not in the editor.
        <span className="row">
          <button type="button" className="button small" onClick={() => take(outdated)}>
            Take it up
          </button>
          <button type="button" className="button small" onClick={drop}>
            Drop it
          </button>
        </span>
      </Notice>
    ) : (
      found !== null && (
        <Notice kind="info">
          What you had written here is back. It is not published.
          <button type="button" className="button small" onClick={() => take(initial)}>
            Begin anew
          </button>
        </Notice>
      )
    );
  return { text, setText, notice, drop };
}

function Preview({ definition }: { readonly definition: Readonly<Record<string, unknown>> }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null);
  return <Diagram label="Diagram of what is written" definition={definition} chosen={chosen} onChoose={setChosen} />;
}

/** The editor of the next version of a graph. It starts with the open version. */
export function EditTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const [, navigate] = useLocation();
  return (
    <DefinitionEditor
      initial={graph.definition}
      of={graph.name}
      base={`${graph.version} ${graph.hash}`}
      onPublished={({ name, version }) => navigate(toGraph(name, 'versions', version))}
    />
  );
}

/** The definition that a new graph starts with: it asks a person and returns the decision. */
const FIRST = {
  name: 'my-graph',
  channels: { question: { schema: { type: 'string' } }, decision: {} },
  nodes: { ask: { type: 'approval', title: '{{ state.question }}', write: 'decision' } },
  edges: [
    { from: '__start__', to: 'ask' },
    { from: 'ask', to: '__end__' },
  ],
  input: ['question'],
  output: ['decision'],
};

/** The editor of a new graph. */
export function NewGraphPage(): JSX.Element {
  const [, navigate] = useLocation();
  return (
    <div className="stack">
      <Link href="/graphs" className="small-text">
        All graphs
      </Link>
      <PageHeader title="New graph" about="Its name decides: one that is published gets another version." />
      <DefinitionEditor initial={FIRST} of="" base="new" onPublished={({ name }) => navigate(toGraph(name))} />
    </div>
  );
}

const PATH = '/schemas/graph-definition.json';

/** The JSON Schema of definitions, for completions; `null` until it is loaded. */
function useDefinitionSchema(): unknown {
  const { data } = useQuery({
    queryKey: ['definition schema'],
    staleTime: Infinity,
    async queryFn({ signal }): Promise<unknown> {
      const answer = await fetch(PATH, { signal });
      if (!answer.ok) throw new Error(`${PATH} has answered ${answer.status}`);
      return await answer.json();
    },
  });
  return data ?? null;
}
