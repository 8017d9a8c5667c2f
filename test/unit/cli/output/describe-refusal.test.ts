import { expect, test } from 'vitest';
import { describeRefusal } from '../../../../src/cli/output/format-refusal.ts';
import { HoldfastError } from '../../../../src/client/holdfast-error.ts';

test('the CLI describes a refusal by status and code, and a request without a response by its cause', () => {
  const refused = new HoldfastError({ code: 'INVALID_INPUT', detail: 'no', status: 422 });
  expect(describeRefusal(refused)).toBe('The API answered 422 INVALID_INPUT: no');
  expect(describeRefusal(new HoldfastError({ code: 'UNREACHABLE', detail: 'gone' }))).toBe('gone');
});

test('the CLI reports that a request was possibly executed', () => {
  const lost = new HoldfastError({ code: 'UNREACHABLE', detail: 'gone', mayTakeEffect: true });
  expect(describeRefusal(lost)).toBe('gone (it may take effect all the same: look before you send it again)');
});

test.each([
  ['a stack on this machine', 'http://127.0.0.1:3000', '; start it: npx holdfast dev'],
  ['another machine', 'http://holdfast.example', ''],
])('the CLI says how to start what refuses a connection: %s', (_, origin, hint) => {
  const detail = `${origin} can't be reached: connect ECONNREFUSED`;
  expect(describeRefusal(new HoldfastError({ code: 'UNREACHABLE', detail }))).toBe(`${detail}${hint}`);
});
