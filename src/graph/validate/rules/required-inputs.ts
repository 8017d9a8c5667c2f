import { namesAt } from '../../definition/node-types/describe-node.ts';
import { isJsonList } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';

/** Finds a required channel that a run can't be started with. */
export const requiredInputs = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ definition, channels }) => {
    const { input, required } = definition;
    if (!isJsonList(input)) return [];
    const inputs = new Set(input);
    return namesAt(required, '/required')
      .filter(({ name }) => channels.has(name) && !inputs.has(name))
      .map(({ name, path }) =>
        error('INVALID_FIELD', path, `"${name}" is required, and no run can give it: see "input"`),
      );
  },
});
