import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { DiffView } from '../../../diff/diff-view.tsx';
import { SchemaForm } from '../../../form/schema-form.tsx';
import type { Form } from '../../../form/use-form.ts';
import { notesOnFields } from './changed-arguments.ts';
import { issuesOf } from './decision-outcome.ts';

interface DecisionFieldsProps {
  readonly approval: Pick<Approval, 'args' | 'askedArgs' | 'decisions' | 'decisionSchema'>;
  readonly argsForm: Form;
  readonly valuesForm: Form;
  /** True: the forms do not say what would be sent. */
  readonly isWrong: boolean;
  /** Why a decision was refused; `null`: none was. */
  readonly refused: unknown;
}

/** The arguments, what of them is changed, and what the decision must bring. */
export function DecisionFields(props: DecisionFieldsProps): JSX.Element {
  const { approval, argsForm, valuesForm, isWrong, refused } = props;
  const { args, decisionSchema } = approval;
  const notes = notesOnFields(approval);
  const isChanged = Object.keys(notes).length > 0;
  const untouched = isChanged ? 'As it was changed' : 'As proposed';
  const same = isWrong ? 'Nothing is approved while something is wrong with a field' : untouched;
  return (
    <>
      {args !== null && (
        <>
          <SchemaForm form={argsForm} legend="Arguments" issues={issuesOf(refused, 'args')} notes={notes} />
          <div aria-live="polite">
            <DiffView
              before={args}
              after={argsForm.value}
              titles={[isChanged ? 'As changed' : 'Proposed', 'Yours']}
              same={same}
            />
          </div>
        </>
      )}
      {decisionSchema !== null && (
        <SchemaForm form={valuesForm} legend="What the decision brings" issues={issuesOf(refused, 'values')} />
      )}
    </>
  );
}
