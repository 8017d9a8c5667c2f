import type { CallOptions } from 'holdfast/client';
import { useRef } from 'react';
import type { FormEvent, JSX, ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { CopyAsCurl } from '../parts/copy-button.tsx';
import { Problem } from '../parts/notices.tsx';
import type { ApiRequest } from '../parts/to-curl.ts';
import { hasProblems, issuesByField } from './read-form.ts';
import './form.css';
import { SchemaForm } from './schema-form.tsx';
import { showProblem } from './use-form.ts';
import type { Form } from './use-form.ts';

interface RequestFormProps<Answer> {
  readonly form: Form;
  readonly legend: string;
  /** The label of the button. */
  readonly submit: string;
  /** The JSON Pointer of the form's object in the body, for issues from the API; by default the whole body. */
  readonly pointer?: string;
  readonly request: ApiRequest;
  readonly send: (options: CallOptions) => Promise<Answer>;
  readonly stale: readonly (readonly unknown[])[];
  readonly onDone?: (answer: Answer) => void;
  /** More fields. */
  readonly children?: ReactNode;
  /** The forms among the children, whose problems prevent sending, too. */
  readonly others?: readonly Form[];
}

const NONE: readonly Form[] = [];

/**
 * A form that sends one request once its input is valid. Issues from the API are shown at their field, or above the button.
 */
export function RequestForm<Answer>(props: RequestFormProps<Answer>): JSX.Element {
  const { form, legend, submit, pointer, request, send, stale, onDone, children, others = NONE } = props;
  const element = useRef<HTMLFormElement>(null);
  const action = useAction<void, Answer>({ stale, onDone, send: async (_, options) => await send(options) });
  const { byField, others: elsewhere } = issuesByField(action.error, Object.keys(form.draft), pointer);
  const isInvalid = hasProblems(form, ...others);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isInvalid) showProblem(element.current);
    else action.send();
  };
  return (
    <form ref={element} className="stack" noValidate onSubmit={onSubmit} aria-label={legend}>
      <SchemaForm form={form} legend={legend} issues={byField} />
      {children}
      {action.error !== null && <Problem error={action.error} />}
      {elsewhere.length > 0 && (
        <ul className="issues">
          {elsewhere.map(({ path, message }) => (
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
        {!isInvalid && <CopyAsCurl request={request} />}
      </div>
    </form>
  );
}
