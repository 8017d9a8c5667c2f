import type { JSX } from 'react';
import type { Preview } from './preview-of.ts';
import './actions.css';

const SHOWN = 12;

/** What an action would keep, and what it would have made again. */
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
        {all.slice(0, SHOWN).map(([name, count]) => (
          <li key={name}>
            {name}
            {count > 1 && ` ×${count}`}
          </li>
        ))}
        {all.length > SHOWN && <li className="muted">and {all.length - SHOWN} more</li>}
      </ul>
    </section>
  );
}
