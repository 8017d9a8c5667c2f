import type { JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { PageHeader } from '../../../parts/page-header.tsx';
import '../graph/graphs.css';
import { toGraph } from '../graph/to-graph.ts';
import { DefinitionEditor } from './definition-editor.tsx';

/** What a new graph begins with: it asks a person, and says what was decided. */
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

/** Writes a new graph and publishes it. */
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
