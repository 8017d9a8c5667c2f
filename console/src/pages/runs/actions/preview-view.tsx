import { useMemo } from 'react';
import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Run } from 'holdfast/client';
import { createPreview } from './preview.ts';
import type { Preview, PreviewedAction } from './preview.ts';
import '../parts/runs.css';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import { nodesOf } from '../../../graph/definition.ts';
import { useHistory } from '../data/use-run.ts';
import { useDefinition } from '../data/use-definition.ts';

const MAX_NAMES = 12;

/** Shows the work that an action keeps, and the work that it repeats. */
export function PreviewView({ preview }: { readonly preview: Preview | null }): JSX.Element {
  if (!preview) return <p className="muted">Reading what the run has done…</p>;
  const { kept, again, notes } = preview;
  return (
    <div className="preview">
      <p className="muted small-text">An estimate, by the history:</p>
      <Names title={again.length === 0 ? 'Nothing is made again' : `Made again: ${again.length}`} names={again} />
      <Names title={kept.length === 0 ? 'Nothing is done yet' : `Kept: ${kept.length}`} names={kept} />
      {notes.map((note) => (
        <p key={note} className="small-text">
          {note}
        </p>
      ))}
    </div>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }): JSX.Element {
  const counted = new Map<string, number>();
  for (const name of names) counted.set(name, (counted.get(name) ?? 0) + 1);
  const all = [...counted];
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className="plain small-text">
        {all.slice(0, MAX_NAMES).map(([name, count]) => (
          <li key={name}>
            {name}
            {count > 1 && ` ×${count}`}
          </li>
        ))}
        {all.length > MAX_NAMES && <li className="muted">and {all.length - MAX_NAMES} more</li>}
      </ul>
    </section>
  );
}

const MOST_TOOLS = 200;

/** The preview of an action; `null` until the history is loaded. */
export function usePreview(run: Run, action: PreviewedAction): Preview | null {
  const client = useApi();
  const { data: history } = useHistory(run.id);
  const { data: definition } = useDefinition(run);
  const { data: tools } = useQuery({
    queryKey: [...KEYS.tools, 'effects'],
    queryFn: async ({ signal }) => await client.tools.list({ limit: MOST_TOOLS }, { signal }).page(),
  });
  return useMemo(() => {
    if (!history) return null;
    const effects = new Map(tools?.items.map(({ name, effect }) => [name, effect]));
    const nodes = definition ? nodesOf(definition) : [];
    const compensated = new Set(nodes.flatMap(([id, { compensate }]) => (compensate === undefined ? [] : [id])));
    return createPreview(action, { events: history, effects, compensated });
  }, [history, tools, definition, action]);
}
