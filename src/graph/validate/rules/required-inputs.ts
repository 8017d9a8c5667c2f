import { namesAt } from '../../definition/names-at.ts';
import { isJsonList } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** `INVALID_FIELD`: a required channel that a run can't be started with. */
export const requiredInputs: Rule = ({ definition, channels }) => {
  const { input, required } = definition;
  if (!isJsonList(input)) return [];
  const inputs = new Set(input);
  return namesAt(required, '/required')
    .filter(({ name }) => channels.has(name) && !inputs.has(name))
    .map(({ name, path }) =>
      error('INVALID_FIELD', path, `"${name}" is required, and no run can give it: see "input"`),
    );
};
