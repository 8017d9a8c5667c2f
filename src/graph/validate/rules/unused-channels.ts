import { InvalidExpressionError, parseExpression } from '../../expression/expression.ts';
import type { Expression } from '../../expression/expression.ts';
import { InvalidTemplateError, parseTemplate } from '../../expression/template.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { defineRule, issueWarning } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';
import { bareExpressions } from './expressions.ts';
import { templatedFields } from './templates.ts';
import { channelsListed, channelsWritten } from './unknown-channels.ts';

/** Finds a channel that is neither written, read nor listed. */
export const unusedChannels = defineRule({
  codes: ['UNUSED_CHANNEL'],
  find: (subject) => {
    const used = new Set([...channelsWritten(subject), ...channelsListed(subject)].map(({ name }) => name));
    for (const expression of readableExpressions(subject))
      for (const name of expression.references.channels) used.add(name);
    if (used.has('*')) return [];
    return [...subject.channels.keys()]
      .filter((name) => !used.has(name))
      .map((name) =>
        issueWarning(
          'UNUSED_CHANNEL',
          toPointer(['channels', name]),
          `Nothing writes or reads channel "${name}"`,
          'Remove it, or use it',
        ),
      );
  },
});

function readableExpressions(subject: ValidationSubject): readonly Expression[] {
  return [
    ...bareExpressions(subject).flatMap(({ source, names }) => ifValid(() => [parseExpression(source, names)])),
    ...[...subject.nodes.values()]
      .flatMap(templatedFields)
      .flatMap(({ value, names }) => ifValid(() => parseTemplate(value, names, '').expressions)),
  ];
}

/** Returns nothing for invalid expressions, because another rule reports them. */
function ifValid(read: () => readonly Expression[]): readonly Expression[] {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof InvalidExpressionError || thrown instanceof InvalidTemplateError) return [];
    throw thrown;
  }
}
