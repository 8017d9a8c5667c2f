import { useId } from 'react';
import type { JSX } from 'react';
import './runs.css';

interface LabelledProps {
  readonly label: string;
  readonly about?: string | undefined;
  readonly problem?: string | undefined;
  /** Draws the field with what ties it to its label. */
  readonly children: (tied: Tied) => JSX.Element;
}

interface Tied {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A field with its label, a hint, and what is wrong with it. */
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
