import { useEffect } from 'react';
import type { JSX, ReactNode } from 'react';
import { visible } from './texts.ts';

interface PageHeaderProps {
  readonly title: string;
  /** A line below the title. */
  readonly about?: ReactNode;
  /** Buttons of the whole page. */
  readonly children?: ReactNode;
}

/** The header of a page. It also sets the title of the tab. */
export function PageHeader({ title, about, children }: PageHeaderProps): JSX.Element {
  useEffect(() => {
    document.title = `${visible(title)} · Holdfast`;
  }, [title]);
  return (
    <header className="page-header">
      <div>
        <h1>{visible(title)}</h1>
        {about !== undefined && <p className="muted">{about}</p>}
      </div>
      {children !== undefined && <div className="actions">{children}</div>}
    </header>
  );
}
