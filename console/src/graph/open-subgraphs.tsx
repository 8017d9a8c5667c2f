import type { JSX } from 'react';

interface OpenSubgraphsProps {
  /** What the outermost graph is called. */
  readonly outermost: string;
  readonly path: readonly string[];
  readonly onOpen: (path: readonly string[]) => void;
}

/** The subgraphs that are open, and the way back; nothing where none is. */
export function OpenSubgraphs({ outermost, path, onOpen }: OpenSubgraphsProps): JSX.Element | null {
  if (path.length === 0) return null;
  return (
    <nav aria-label="Open subgraphs" className="row">
      <button type="button" className="button small" onClick={() => onOpen([])}>
        {outermost}
      </button>
      {path.map((node, place) => (
        <button
          key={path.slice(0, place + 1).join('/')}
          type="button"
          className="button small"
          aria-current={place === path.length - 1 ? 'true' : undefined}
          onClick={() => onOpen(path.slice(0, place + 1))}
        >
          {node}
        </button>
      ))}
    </nav>
  );
}
