import { useEffect, useRef, useState } from 'react';
import type { JSX, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Navigation } from './navigation.tsx';
import { dropDrafts, hasDrafts } from '../session/kept-drafts.ts';
import { useSession } from '../session/use-session.ts';
import { useLive } from '../api/live.tsx';
import type { Liveness } from '../api/live.tsx';
import { Icon } from '../parts/icon.tsx';

/** The frame around every page. */
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
          <LiveIndicator />
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

/** Signs out and deletes unsent drafts, so that the next person in this tab does not see them. */
function signOut(end: () => void): void {
  if (hasDrafts() && !window.confirm('What you have written and not sent will be lost. Sign out all the same?')) return;
  dropDrafts();
  end();
}

/** The person who is signed in, and the button to sign out. On a local stack, a menu of its people. */
function Account(): JSX.Element {
  const { person, people, become, end } = useSession();
  return (
    <div className="account">
      {people.length > 1 ? (
        <select
          aria-label="Who you are"
          value={people.findIndex(({ token }) => token === person?.token)}
          onChange={(event) => become(Number(event.target.value))}
        >
          {people.map(({ sub, tenant, roles, token }, index) => (
            <option key={token} value={index}>
              {sub} · {roles.join(', ')} · {tenant}
            </option>
          ))}
        </select>
      ) : (
        <span className="account-name" title={person?.roles.join(', ')}>
          {person?.sub} · {person?.tenant}
        </span>
      )}
      <button type="button" className="button quiet" onClick={() => signOut(end)}>
        Sign out
      </button>
    </div>
  );
}

const WORDS: Readonly<Record<Liveness, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Not live: the API is away',
};

/** Shows if pages are updated by live events. */
function LiveIndicator(): JSX.Element {
  const liveness = useLive();
  return (
    <p className={`live-sign ${liveness}`} role="status">
      <span aria-hidden="true" className="dot" />
      {WORDS[liveness]}
    </p>
  );
}

/** Changes between light and dark. */
function ThemeToggle(): JSX.Element {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => showTheme(theme), [theme]);
  const other = theme === 'dark' ? 'light' : 'dark';
  const change = (): void => {
    chooseTheme(other);
    setTheme(other);
  };
  return (
    <button type="button" className="button quiet" onClick={change} aria-label={`Show it ${other}`}>
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}

type Theme = 'light' | 'dark';

const KEY = 'holdfast.theme';

/** The theme that the person has chosen in this browser, or that of the system. */
function readTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Shows the page in a theme. */
function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Applies a theme and stores it for later visits. */
function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme(theme);
}
