import type { JSX } from 'react';
import { dropDrafts, hasDrafts } from '../session/kept-drafts.ts';
import { useSession } from '../session/use-session.ts';

/** Signs out; what is written and not sent goes with it, so that the next person in this tab has nothing of it. */
function signOut(end: () => void): void {
  if (hasDrafts() && !window.confirm('What you have written and not sent will be lost. Sign out all the same?')) return;
  dropDrafts();
  end();
}

/** Who uses the tab, and the way out. On a local stack it changes between its people. */
export function Account(): JSX.Element {
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
