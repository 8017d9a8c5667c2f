import { namesInFields } from '../../definition/names-at.ts';
import { describeReducer } from '../../definition/reducers.ts';
import { fieldsOfKind } from '../../definition/node-types/describe-node.ts';
import { isJsonObject } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** `INVALID_FIELD`: a conversation in a channel that drops earlier messages. Nodes write only new messages. */
export const conversationChannels: Rule = ({ nodes, channels }) =>
  [...nodes.values()]
    .flatMap((node) => namesInFields(node, fieldsOfKind('conversations')))
    .filter(({ name }) => {
      const { reducer = 'replace' } = channels.get(name) ?? { reducer: 'messages' };
      return !isJsonObject(reducer) && !describeReducer(reducer)?.keepsMessages;
    })
    .map(({ name, path }) =>
      error('INVALID_FIELD', path, `The channel "${name}" keeps no conversation: its reducer must be "messages".`),
    );
