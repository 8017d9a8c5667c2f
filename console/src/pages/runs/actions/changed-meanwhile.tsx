import type { JSX } from 'react';
import { DiffView } from '../../../diff/diff-view.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Problem } from '../../../parts/problem.tsx';
import type { OpenedState } from './use-opened-state.ts';

interface ChangedMeanwhileProps {
  readonly opened: OpenedState;
  /** An edit of it was refused as it is another by now. */
  readonly isOld: boolean;
  readonly onReadAgain: () => void;
}

/** Says that a state has changed since its dialog opened, and then what is different. */
export function ChangedMeanwhile({ opened, isOld, onReadAgain }: ChangedMeanwhileProps): JSX.Element | null {
  const { state, before, error, isReady } = opened;
  if (isOld)
    return (
      <Notice kind="warn">
        <strong>Somebody else has changed it</strong>
        <p>Nothing was written: since you opened this, a person or the run itself has made another state of it.</p>
        <button type="button" className="button small" onClick={onReadAgain}>
          Show what is different
        </button>
      </Notice>
    );
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
