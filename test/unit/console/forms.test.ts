import { describe, expect, test } from 'vitest';
import { readDraft, toDraft, fieldsFor } from '../../../console/src/form/draft.ts';
import type { Draft } from '../../../console/src/form/draft.ts';
import { fieldsOf } from '../../../console/src/form/fields.ts';
import { hasProblems, WHOLE, readForm } from '../../../console/src/form/read-form.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    order: { type: 'string', title: 'Order', description: 'Its number' },
    amount: { type: 'number', minimum: 0.01, maximum: 100, multipleOf: 0.01 },
    items: { type: 'integer' },
    express: { type: 'boolean' },
    reason: { enum: ['broken', 'late', 7] },
    color: { oneOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
    mail: { type: 'string', format: 'email' },
    address: { type: 'object' },
  },
  required: ['order', 'amount'],
};
const FIELDS = fieldsOf(SCHEMA) ?? [];
const VALUE = {
  order: 'A-1',
  amount: 20.5,
  items: 3,
  express: true,
  reason: 7,
  color: 'r',
  tags: ['a', 'c'],
  mail: 'a@b.example',
  address: { city: 'Bern' },
};

describe('the fields of a schema', () => {
  test('a form that the console makes from a schema has text, number, boolean and choice fields, and JSON for the rest', () => {
    expect(Object.fromEntries(FIELDS.map(({ name, kind }) => [name, kind]))).toEqual({
      order: 'text',
      amount: 'number',
      items: 'integer',
      express: 'boolean',
      reason: 'choice',
      color: 'choice',
      tags: 'choices',
      mail: 'text',
      address: 'json',
    });
  });

  test('a form that the console makes from a schema has labels, bounds and input types', () => {
    expect(FIELDS[0]).toMatchObject({ label: 'Order', description: 'Its number', isRequired: true });
    expect(FIELDS[1]).toMatchObject({ label: 'amount', bounds: { min: 0.01, max: 100, step: 0.01 } });
    expect(FIELDS[5]?.options).toEqual([
      { value: 'r', label: 'Red' },
      { value: 'g', label: 'g' },
    ]);
    expect(FIELDS[7]?.inputType).toBe('email');
  });

  test.each([
    [null],
    [true],
    [{ type: 'string' }],
    [{ type: 'object' }],
    [{ type: ['object', 'null'], properties: {} }],
  ])('the console makes no form fields for the schema %j', (schema) => {
    expect(fieldsOf(schema)).toBeNull();
  });
});

describe('a draft', () => {
  const read = (over: Draft) => readDraft(FIELDS, { ...toDraft(FIELDS, VALUE), ...over }, VALUE);

  test('an untouched form of the console returns the value that filled it, with the same types', () => {
    expect(read({})).toEqual({ value: VALUE, problems: {} });
  });

  test('a form of the console keeps members that have no field', () => {
    const other = { ...VALUE, hidden: [1] };
    expect(readDraft(FIELDS, toDraft(FIELDS, other), other).value).toEqual(other);
  });

  test.each([
    [{ order: 'A-1', amount: 1 }],
    [{ order: 'A-1', amount: 1, tags: ['b', 'a', 'b'], mail: '' }],
    [{ order: 7, amount: null, items: 1.5, express: 'yes', reason: 'else', tags: 'a', address: null }],
  ])('a form of the console keeps %j unchanged without input', (value) => {
    for (const fields of [FIELDS, fieldsFor(SCHEMA, value) ?? []])
      expect(readDraft(fields, toDraft(fields, value), value)).toEqual({ value, problems: {} });
  });

  test('a form of the console omits untouched booleans, and has false for an unchecked one', () => {
    const read = (value: object, over: Draft) => readDraft(FIELDS, { ...toDraft(FIELDS, value), ...over }, value).value;
    const given = { order: 'A-1', amount: 1 };
    expect(read(given, { express: false })).toEqual({ ...given, express: false });
    expect(read(given, { express: true })).toEqual({ ...given, express: true });
    expect(read({ ...given, items: undefined }, {})).toStrictEqual(given);
  });

  test('a form of the console has false for a required boolean', () => {
    const fields = fieldsOf({
      properties: { agreed: { type: 'boolean' }, why: { type: 'string' } },
      required: ['agreed', 'why'],
    });
    expect(readDraft(fields ?? [], toDraft(fields ?? [], undefined), undefined).value).toEqual({
      agreed: false,
      why: '',
    });
  });

  test('a form of the console omits emptied fields, unless they are required', () => {
    const { value, problems } = read({ items: '', mail: '', address: '', amount: '' });
    expect(Object.keys(value)).toEqual(['order', 'amount', 'express', 'reason', 'color', 'tags']);
    expect(problems).toEqual({ amount: 'This is needed' });
  });

  test('a form of the console has an empty text for a required text', () => {
    expect(read({ order: '' })).toMatchObject({ value: { order: '' }, problems: {} });
  });

  test.each([
    [{ amount: 'many' }, { amount: 'A number is needed' }],
    [{ items: '1.5' }, { items: 'A whole number is needed' }],
    [{ items: null }, { items: 'A whole number is needed' }],
    [{ mail: null }, { mail: 'It is not complete' }],
    [{ address: '{' }, { address: expect.stringContaining('This is no JSON') }],
  ])('a form of the console reports the problem of %j at its field', (over, problems) => {
    expect(read(over).problems).toEqual(problems);
  });
});

describe('a form', () => {
  test('a console form of one JSON text refuses to empty an existing value', () => {
    expect(readForm(null, { [WHOLE]: ' ' }, [1])).toEqual({ value: [1], problems: { [WHOLE]: 'This is needed' } });
    expect(readForm(null, { [WHOLE]: '' }, undefined)).toEqual({ value: undefined, problems: {} });
    expect(readForm(null, { [WHOLE]: '[2]' }, [1])).toEqual({ value: [2], problems: {} });
  });

  test('the console reports the problems of all forms of a request, in visible fields only', () => {
    const right = { fields: FIELDS, problems: {} };
    const wrong = { fields: FIELDS, problems: { amount: 'This is needed' } };
    expect(hasProblems(right)).toBe(false);
    expect(hasProblems(right, wrong)).toBe(true);
    expect(hasProblems({ ...wrong, fields: FIELDS.slice(2) })).toBe(false);
    expect(hasProblems({ fields: null, problems: { [WHOLE]: 'This is needed' } })).toBe(true);
  });
});
