import type { Run } from 'holdfast/client';
import type { JSX } from 'react';
import { JsonView } from '../../../parts/json-view.tsx';

/** What a run was given and has given. */
export function DataTab({ run }: { readonly run: Run }): JSX.Element {
  const parts = { Input: run.input, Output: run.output, Error: run.error, Metadata: run.metadata, Limits: run.limits };
  return (
    <div className="columns">
      {Object.entries(parts).map(
        ([name, value]) =>
          value !== null && (
            <section key={name} className="card stack" aria-label={name}>
              <h2>{name}</h2>
              <JsonView value={value} open={3} />
            </section>
          ),
      )}
    </div>
  );
}
