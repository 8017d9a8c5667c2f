import { useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { Loading, Notice } from '../parts/notices.tsx';
import { readConsoleConfig, useSession } from '../session/use-session.ts';
import { redirectToIssuer } from '../session/issuer-sign-in.ts';
import { hasDrafts } from '../session/kept-drafts.ts';
import { readPerson } from '../session/person.ts';

/** Signs a person in, by the issuer if the installation has one, or by a token. */
export function SignInPage(): JSX.Element {
  const { config, notice, isSigningIn, begin } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  if (isSigningIn) return <Loading what="Signing in" />;
  const message = problem ?? notice;
  const say = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const enter = async (token: string): Promise<void> => {
    const { claims } = config ?? (await readConsoleConfig());
    begin([readPerson(token, claims)]);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    if (typeof token === 'string') void enter(token.trim()).catch(say);
  };
  return (
    <main className="sign-in">
      <img src="/console/icon.svg" alt="" width="48" height="48" />
      <h1>Holdfast</h1>
      {message !== null && <Notice kind="warn">{message}</Notice>}
      {hasDrafts() && (
        <Notice kind="info">
          What you have written is kept in this tab. It is there again once you have signed in.
        </Notice>
      )}
      {typeof config?.issuer === 'string' && config.clientId !== null && (
        <button type="button" className="button primary" onClick={() => void redirectToIssuer(config).catch(say)}>
          Sign in at {new URL(config.issuer).host}
        </button>
      )}
      <form onSubmit={submit} className="stack">
        <label htmlFor="token">A token</label>
        <input id="token" name="token" type="password" autoComplete="off" required spellCheck={false} />
        <p className="muted">
          {config?.features.localSignIn === true
            ? 'On this machine `holdfast console` prints an address that signs you in, and `holdfast token approver` a token.'
            : 'It stays in this tab, and goes with it.'}
        </p>
        <button type="submit" className="button">
          Go on with this token
        </button>
      </form>
    </main>
  );
}
