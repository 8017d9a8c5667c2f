import { namesAt, writesOf } from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { defineRule, error } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';

/** Finds a channel that is written or named but not declared. */
export const unknownChannels = defineRule({
  codes: ['UNKNOWN_CHANNEL'],
  find: (subject) => {
    const { channels } = subject;
    return [...channelsWritten(subject), ...channelsListed(subject)]
      .filter(({ name }) => !channels.has(name))
      .map(({ name, path }) =>
        error('UNKNOWN_CHANNEL', path, `No channel "${name}" is declared.${didYouMean(name, channels.keys())}`),
      );
  },
});

/** Returns the channels that nodes write, or use as their conversation. */
export function channelsWritten({ nodes }: ValidationSubject): readonly LocatedName[] {
  return [...nodes.values()].flatMap(writesOf);
}

/** Returns the channels that the definition lists as input, as required input, and as output. */
export function channelsListed({ definition }: ValidationSubject): readonly LocatedName[] {
  return ['input', 'required', 'output'].flatMap((field) => namesAt(definition[field], `/${field}`));
}
