import { useEffect, useId, useRef } from 'react';
import type { JSX, ReactNode } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import './runs.css';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. It takes the focus, and returns it on closing. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => giveFocusTo(before);
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button quiet small" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="stack">{children}</div>
    </dialog>
  );
}

/** Returns the focus to the element that opened the dialog, or to the page if that element is gone. */
function giveFocusTo(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus();
  else document.querySelector<HTMLElement>('#content')?.focus();
}

interface LabelledProps {
  readonly label: string;
  readonly about?: string | undefined;
  readonly problem?: string | undefined;
  /** Renders the field with the attributes that link it to its label. */
  readonly children: (tied: FieldAttributes) => JSX.Element;
}

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A field with its label, a hint and its problem. */
export function Labelled({ label, about, problem, children }: LabelledProps): JSX.Element {
  const id = useId();
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': `${id}-about` })}
      <p id={`${id}-about`} className={problem === undefined ? 'small-text muted' : 'small-text problem-text'}>
        {problem ?? about}
      </p>
    </div>
  );
}
