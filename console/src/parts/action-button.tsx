import type { CallOptions } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { useAction } from '../api/use-action.ts';
import './parts.css';
import { CopyAsCurl } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { Problem } from './notices.tsx';
import type { ApiRequest } from './to-curl.ts';

interface ActionButtonProps<Answer> {
  readonly label: string;
  /** The object of the action for screen readers, if the label does not name it. */
  readonly of?: string;
  readonly icon?: IconName;
  readonly look?: 'primary' | 'danger' | 'small';
  /** The request that `send` makes, to copy it. */
  readonly request: ApiRequest;
  readonly send: (options: CallOptions) => Promise<Answer>;
  readonly stale: readonly (readonly unknown[])[];
  readonly onDone?: (answer: Answer) => void;
  /** A warning for an action that cannot be undone. The person has to confirm it with a second press. */
  readonly warning?: string;
  readonly disabled?: boolean;
}

/** A button that sends one request, with a button to copy the request, and the error if it is refused. */
export function ActionButton<Answer>(props: ActionButtonProps<Answer>): JSX.Element {
  const { request, send, stale, onDone, warning } = props;
  const [isAsking, setAsking] = useState(false);
  const action = useAction<void, Answer>({
    stale,
    send: async (_, options) => await send(options),
    onDone(answer) {
      setAsking(false);
      onDone?.(answer);
    },
  });
  const press = (): void => {
    if (warning !== undefined && !isAsking) setAsking(true);
    else action.send();
  };
  return (
    <div className={isAsking ? 'action asking' : 'action'}>
      {isAsking && <p role="alert">{warning}</p>}
      <span className="row">
        <Face {...props} isSending={action.isSending} onPress={press} />
        {isAsking && (
          <button type="button" className="button small" onClick={() => setAsking(false)}>
            Leave it
          </button>
        )}
        <CopyAsCurl request={request} />
      </span>
      {action.error !== null && <Problem error={action.error} />}
    </div>
  );
}

interface FaceProps extends Pick<ActionButtonProps<unknown>, 'label' | 'of' | 'icon' | 'look' | 'disabled'> {
  readonly isSending: boolean;
  readonly onPress: () => void;
}

function Face({ label, of, icon, look, disabled, isSending, onPress }: FaceProps): JSX.Element {
  return (
    <button
      type="button"
      className={look === undefined ? 'button' : `button ${look}`}
      disabled={isSending || disabled === true}
      onClick={onPress}
    >
      {icon !== undefined && <Icon name={icon} />}
      {label}
      {of !== undefined && <span className="for-readers"> {of}</span>}
    </button>
  );
}
