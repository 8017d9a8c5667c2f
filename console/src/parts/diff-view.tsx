import type { JSX } from 'react';
import { JsonView } from './json-view.tsx';
import { visible } from './texts.ts';
import { Wide } from './table.tsx';
import './parts.css';
import { diffRows } from './diff-rows.ts';
import type { DiffRow } from './diff-rows.ts';

interface DiffViewProps {
  readonly before: unknown;
  readonly after: unknown;
  /** The titles of the columns. */
  readonly titles: readonly [before: string, after: string];
  /** The text if both are equal. */
  readonly same?: string;
}

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { added: '+', removed: '−', changed: '→' };

/** The differences between two JSON values, side by side. */
export function DiffView({ before, after, titles, same = 'Nothing differs' }: DiffViewProps): JSX.Element {
  const rows = diffRows(before, after);
  if (rows.length === 0) return <p className="muted">{same}</p>;
  return (
    <Wide label={`What differs: ${titles[0]}, ${titles[1]}`}>
      <table className="diff">
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">{titles[0]}</th>
            <th scope="col">{titles[1]}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, kind, ...values }) => (
            <tr key={`${path} ${kind}`} className={kind}>
              <th scope="row" className="mono">
                <span className="for-readers">{kind} </span>
                <span aria-hidden="true">{SIGNS[kind]} </span>
                {path === '' ? 'all of it' : visible(path)}
              </th>
              <td className="before">{'before' in values && <JsonView value={values.before} />}</td>
              <td className="after">{'after' in values && <JsonView value={values.after} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
