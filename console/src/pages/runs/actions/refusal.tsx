import type { JSX } from 'react';
import { DiffView } from '../../../diff/diff-view.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { isStale } from './use-opened-state.ts';
import type { OpenedState } from './use-opened-state.ts';

interface RefusalProps {
  /** Why the control was refused; `null`: it was not. */
  readonly error: unknown;
  readonly opened: OpenedState;
  readonly onReadAgain: () => void;
}

/** Says why a control was refused. Of a state that has changed since its dialog opened it shows what is different. */
export function Refusal({ error, opened, onReadAgain }: RefusalProps): JSX.Element | null {
  if (isStale(error))
    return (
      <Notice kind="warn">
        <strong>Somebody else has changed it</strong>
        <p>Nothing was written: since you opened this, a person or the run itself has made another state of it.</p>
        <button type="button" className="button small" onClick={onReadAgain}>
          Show what is different
        </button>
      </Notice>
    );
  return (
    <>
      {error !== null && <Problem error={error} />}
      <Different opened={opened} onReadAgain={onReadAgain} />
    </>
  );
}

function Different({ opened, onReadAgain }: Omit<RefusalProps, 'error'>): JSX.Element | null {
  const { state, before, error, isReady } = opened;
  if (error !== null) return <Problem error={error} onRetry={onReadAgain} />;
  if (before === null || state === undefined || !isReady) return null;
  return (
    <DiffView
      before={before.values}
      after={state.values}
      titles={['When you opened it', 'Now']}
      same="None of its values is different"
    />
  );
}
