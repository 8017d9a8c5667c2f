import type { CallOptions } from 'holdfast/client';
import { useRef } from 'react';
import type { FormEvent, JSX, ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { CopyAsCurl } from '../parts/copy-as-curl.tsx';
import { Problem } from '../parts/problem.tsx';
import type { ShownRequest } from '../parts/to-curl.ts';
import { issuesByField } from './issues-by-field.ts';
import './request-form.css';
import { SchemaForm } from './schema-form.tsx';
import type { Form } from './use-form.ts';

interface RequestFormProps<Answer> {
  readonly form: Form;
  readonly legend: string;
  /** The word on the button. */
  readonly submit: string;
  /** The JSON Pointer of what the form fills, for issues of the API; by default the whole body. */
  readonly place?: string;
  readonly request: ShownRequest;
  readonly send: (options: CallOptions) => Promise<Answer>;
  readonly stale: readonly (readonly unknown[])[];
  readonly onDone?: (answer: Answer) => void;
  /** More fields. */
  readonly children?: ReactNode;
}

/** A form that sends one request. What the API finds wrong stands at its field, or above the button. */
export function RequestForm<Answer>(props: RequestFormProps<Answer>): JSX.Element {
  const { form, legend, submit, place, request, send, stale, onDone, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const action = useAction<void, Answer>({ stale, onDone, send: async (_, options) => await send(options) });
  const { byField, others } = issuesByField(action.error, Object.keys(form.draft), place);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(form.problems).length === 0) action.send();
    else element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  };
  return (
    <form ref={element} className="stack" noValidate onSubmit={onSubmit} aria-label={legend}>
      <SchemaForm form={form} legend={legend} issues={byField} />
      {children}
      {action.error !== null && <Problem error={action.error} />}
      {others.length > 0 && (
        <ul className="issues">
          {others.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path === '' ? '/' : path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <button type="submit" className="button primary" disabled={action.isSending}>
          {submit}
        </button>
        <CopyAsCurl request={request} />
      </div>
    </form>
  );
}
