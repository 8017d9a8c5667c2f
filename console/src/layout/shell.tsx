import { useEffect, useRef } from 'react';
import type { JSX, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Account } from './account.tsx';
import { LiveSign } from './live-sign.tsx';
import { Navigation } from './navigation.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }): JSX.Element {
  const content = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const section = location.split('/')[1];
  useEffect(() => {
    if (section !== undefined) content.current?.focus({ preventScroll: true });
  }, [section]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the page
      </a>
      <aside className="side" aria-label="Holdfast">
        <Link href="/" className="brand">
          <img src="/console/icon.svg" alt="" width="28" height="28" />
          Holdfast
        </Link>
        <Navigation />
        <div className="side-end">
          <LiveSign />
          <ThemeToggle />
        </div>
        <Account />
      </aside>
      <main id="content" className="content" ref={content} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
