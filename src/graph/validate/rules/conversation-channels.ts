import { namesInFields, fieldsOfKind } from '../../definition/node-types/describe-node.ts';
import { describeReducer } from '../../definition/reducers.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';

/**
 * Finds a conversation in a channel that drops earlier messages, because nodes write only new ones. Also finds `roles`
 * of a channel that keeps no messages.
 */
export const conversationChannels = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes, channels }) => [
    ...[...nodes.values()]
      .flatMap((node) => namesInFields(node, fieldsOfKind('conversations')))
      .filter(({ name }) => !keepsMessages(channels.get(name) ?? { reducer: 'messages' }))
      .map(({ name, path }) =>
        error('INVALID_FIELD', path, `The channel "${name}" keeps no conversation: its reducer must be "messages".`),
      ),
    ...[...channels]
      .filter(([, channel]) => channel['roles'] !== undefined && !keepsMessages(channel))
      .map(([name]) =>
        error(
          'INVALID_FIELD',
          toPointer(['channels', name, 'roles']),
          `The channel "${name}" keeps no messages, so it takes no roles: its reducer must be "messages".`,
        ),
      ),
  ],
});

function keepsMessages({ reducer = 'replace' }: JsonObject): boolean {
  return isJsonObject(reducer) || describeReducer(reducer)?.keepsMessages === true;
}
