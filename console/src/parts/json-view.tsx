import type { JSX } from 'react';
import { visible } from './texts.ts';

interface JsonViewProps {
  readonly value: unknown;
  /** The depth to which the tree is open at first. */
  readonly open?: number;
}

/** Shows JSON as a collapsible tree. Long texts are cut until the person expands them. */
export function JsonView({ value, open = 2 }: JsonViewProps): JSX.Element {
  return (
    <div className="json">
      <Value value={value} open={open} />
    </div>
  );
}

/** Larger objects and arrays are closed at first. */
const MANY = 50;

function Value({ value, open }: Required<JsonViewProps>): JSX.Element {
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />;
  const entries = Object.entries(value);
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return <span className="json-mark">{`${begin}${end}`}</span>;
  return (
    <details open={open > 0 && entries.length <= MANY}>
      <summary>
        <span className="json-mark">{begin}</span>
        <span className="json-count">{entries.length}</span>
        <span className="json-mark">{end}</span>
      </summary>
      <ul>
        {entries.map(([name, member]) => (
          <li key={name}>
            <span className="json-name">{visible(name)}</span> <Value value={member} open={open - 1} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const LONG = 400;

function Scalar({ value }: { readonly value: unknown }): JSX.Element {
  const kind = value === null ? 'null' : typeof value;
  const text = typeof value === 'string' ? visible(value) : JSON.stringify(value);
  if (text === undefined || text === '') return <span className="json-null">{text === '' ? '(empty)' : '—'}</span>;
  if (text.length <= LONG) return <span className={`json-${kind}`}>{text}</span>;
  return (
    <details>
      <summary className={`json-${kind}`}>
        {text.slice(0, LONG)}… <span className="json-count">{text.length} characters</span>
      </summary>
      <pre className={`json-${kind}`}>{text}</pre>
    </details>
  );
}
