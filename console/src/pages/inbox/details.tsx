import type { JSX } from 'react';
import { isMembers } from '../../form/fields-of.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { visible } from '../../parts/visible.ts';

/** The facts of an approval: a text, or named ones. Texts are Markdown. What is not known is left out. */
export function Details({ of }: { readonly of: unknown }): JSX.Element | null {
  if (of === null || of === undefined) return null;
  if (!isMembers(of))
    return (
      <section className="card" aria-label="Details">
        <Fact of={of} />
      </section>
    );
  const known = Object.entries(of).filter(([, value]) => value !== null && value !== '');
  if (known.length === 0) return null;
  return (
    <section className="card" aria-label="Details">
      <dl className="facts">
        {known.map(([name, value]) => (
          <div key={name} className="facts-row">
            <dt>{visible(name)}</dt>
            <dd>
              <Fact of={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Fact({ of }: { readonly of: unknown }): JSX.Element {
  return typeof of === 'string' ? <Markdown text={of} /> : <JsonView value={of} />;
}
