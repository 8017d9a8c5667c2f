import { useId } from 'react';
import type { JSX } from 'react';
import { visible } from '../parts/texts.ts';
import type { DraftValue } from './draft.ts';
import { jsonField, memberOf } from './fields.ts';
import type { Field } from './fields.ts';
import './form.css';
import { WHOLE } from './read-form.ts';
import type { Form } from './use-form.ts';

interface SchemaFormProps {
  readonly form: Form;
  readonly legend: string;
  /** Problems that the API has reported, by field name. */
  readonly issues?: Readonly<Record<string, string>>;
  /** Notes on fields, by field name. */
  readonly notes?: Readonly<Record<string, string>>;
}

const NONE = {};

/** The inputs of a form. The problem of an input is shown below it. */
export function SchemaForm({ form, legend, issues = NONE, notes = NONE }: SchemaFormProps): JSX.Element {
  const fields = form.fields ?? [WHOLE_FIELD];
  return (
    <fieldset className="form">
      <legend>{legend}</legend>
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field.name === WHOLE ? { ...field, label: legend } : field}
          value={memberOf(form.draft, field.name)}
          note={memberOf(notes, field.name)}
          problem={memberOf(form.problems, field.name) ?? memberOf(issues, field.name)}
          onChange={(value) => form.set(field.name, value)}
        />
      ))}
    </fieldset>
  );
}

const WHOLE_FIELD = jsonField(WHOLE);

interface FormFieldProps {
  readonly field: Field;
  readonly value: DraftValue | undefined;
  readonly problem: string | undefined;
  readonly note: string | undefined;
  readonly onChange: (value: DraftValue) => void;
}

function FormField({ field, value, problem, note, onChange }: FormFieldProps): JSX.Element {
  const id = useId();
  const { label, description, isRequired, kind } = field;
  const descriptions = [
    description !== null && `${id}-about`,
    note !== undefined && `${id}-note`,
    problem !== undefined && `${id}-problem`,
  ].filter(Boolean);
  const common = {
    id,
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired,
    ...(descriptions.length > 0 && { 'aria-describedby': descriptions.join(' ') }),
  };
  const Input = INPUTS[kind];
  return (
    <div className="field">
      <label htmlFor={id}>
        {visible(label)}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      <Input field={field} value={value} onChange={onChange} common={common} />
      {description !== null && (
        <p id={`${id}-about`} className="muted small-text">
          {visible(description)}
        </p>
      )}
      {note !== undefined && (
        <p id={`${id}-note`} className="field-note">
          {visible(note)}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface InputProps extends Pick<FormFieldProps, 'field' | 'value' | 'onChange'> {
  readonly common: { readonly id: string };
}

function textOf(value: DraftValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Browsers report unparsable input as an empty text and send no change event, so inputs are read on each `input` event. */
function readInput({ value, validity }: HTMLInputElement): DraftValue {
  return validity.badInput ? null : value;
}

function TextInput({ field, value, onChange, common }: InputProps): JSX.Element {
  return (
    <input
      {...common}
      type={field.inputType}
      value={textOf(value)}
      onInput={(event) => onChange(readInput(event.currentTarget))}
      autoComplete="off"
    />
  );
}

function NumberInput({ field, value, onChange, common }: InputProps): JSX.Element {
  return (
    <input
      {...common}
      {...field.bounds}
      type="number"
      inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
      value={textOf(value)}
      onInput={(event) => onChange(readInput(event.currentTarget))}
    />
  );
}

function LongInput({ field, value, onChange, common }: InputProps): JSX.Element {
  return (
    <textarea
      {...common}
      className={field.kind === 'json' ? 'mono' : undefined}
      spellCheck={field.kind !== 'json'}
      value={textOf(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function BooleanInput({ value, onChange, common }: InputProps): JSX.Element {
  return (
    <input
      {...common}
      ref={(element) => {
        if (element) element.indeterminate = value === '';
      }}
      type="checkbox"
      checked={value === true}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function ChoiceInput({ field, value, onChange, common }: InputProps): JSX.Element {
  return (
    <select {...common} value={textOf(value)} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose</option>
      {field.options.map(({ label }) => (
        <option key={label} value={label}>
          {visible(label)}
        </option>
      ))}
    </select>
  );
}

function ChoicesInput({ field, value, onChange, common }: InputProps): JSX.Element {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <select
      {...common}
      multiple
      value={chosen}
      onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
    >
      {field.options.map(({ label }) => (
        <option key={label} value={label}>
          {visible(label)}
        </option>
      ))}
    </select>
  );
}

const INPUTS: Readonly<Record<Field['kind'], (props: InputProps) => JSX.Element>> = {
  text: TextInput,
  'long-text': LongInput,
  number: NumberInput,
  integer: NumberInput,
  boolean: BooleanInput,
  choice: ChoiceInput,
  choices: ChoicesInput,
  json: LongInput,
};
