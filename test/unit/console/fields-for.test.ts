import { describe, expect, test } from 'vitest';
import { readDraft, toDraft, fieldsFor } from '../../../console/src/form/draft.ts';
import { openForm } from '../../../console/src/form/read-form.ts';
import { visible } from '../../../console/src/parts/texts.ts';

const TURNED = 'pay \u202e100';

const fieldOf = (member: unknown, value: unknown) => {
  const [field] = fieldsFor({ properties: { it: member } }, { it: value }) ?? [];
  return field;
};

describe('the fields for a value', () => {
  const schema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
  const value: unknown = JSON.parse(
    '{"order": "A-1", "account": "DE00", "notify": {"by": ["mail"]}, "constructor": 1, "__proto__": 2, "": 3}',
  );

  test('the console’s form has fields for members that the schema does not name', () => {
    const fields = fieldsFor(schema, value) ?? [];
    const draft = toDraft(fields, value);
    expect(fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'order: text',
      'account: json',
      'notify: json',
      'constructor: json',
      '__proto__: json',
      ': json',
    ]);
    expect(Object.values(draft)).toEqual(['A-1', '"DE00"', '{\n  "by": [\n    "mail"\n  ]\n}', '1', '2', '3']);
    expect(JSON.stringify(readDraft(fields, draft, value))).toBe(JSON.stringify({ value, problems: {} }));
  });

  test('for a value that is no object, the console’s form has a single field instead of the schema’s members', () => {
    expect(fieldsFor(schema, undefined)?.map(({ name }) => name)).toEqual(['order']);
    expect(fieldsFor(schema, ['A-1'])).toBeNull();
    expect(fieldsFor({ properties: {} }, { a: 1 })).toHaveLength(1);
  });

  test.each([
    [{ type: 'string', format: 'date' }, 'next friday'],
    [{ type: 'string', format: 'date' }, '2026-02-30'],
    [{ type: 'string', format: 'date' }, '0000-01-01'],
    [{ type: 'string', format: 'email' }, 'a@b.example\nc@d.example'],
    [{ type: 'string', format: 'uri' }, ' https://shop.example'],
    [{ type: 'string' }, 7],
    [{ type: 'string' }, null],
    [{ type: 'string' }, TURNED],
    [{ type: 'string', maxLength: 500 }, 'a\r\nb'],
    [{ type: 'number' }, '300'],
    [{ type: 'number' }, null],
    [{ type: 'integer' }, 1.5],
    [{ type: 'boolean' }, 'yes'],
    [{ enum: ['a', 'b'] }, 'c'],
    [{ oneOf: [{ const: 1 }, { const: '1' }] }, '1'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['b', 'a', 'b']],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a', 'c']],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a'],
  ])('for the schema %j the console’s form shows the value %j as JSON', (member, value) => {
    expect(fieldOf(member, value)?.kind).toBe('json');
  });

  test.each([
    [{ type: 'string', format: 'date' }, '2026-02-28', 'text'],
    [{ type: 'string' }, 'one line', 'text'],
    [{ type: 'string' }, '', 'text'],
    [{ type: 'string' }, 'two\nlines', 'long-text'],
    [{ type: 'number' }, 1e21, 'number'],
    [{ type: 'boolean' }, false, 'boolean'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a', 'b'], 'choices'],
    [{ enum: ['a', null] }, null, 'choice'],
    [{ type: 'number' }, undefined, 'number'],
  ])('for the schema %j the console’s form shows the value %j in a field of the kind %s', (member, value, kind) => {
    expect(fieldOf(member, value)?.kind).toBe(kind);
  });

  test('JSON fields of the console’s form escape invisible characters, and restore them', () => {
    const odd = { text: `${TURNED} \u{e0041}\u200b`, 'na\u200bme': [TURNED] };
    const { '': text } = openForm(null, odd);
    expect(text).toContain(String.raw`"pay \u202e100 \udb40\udc41\u200b"`);
    expect(visible(String(text))).toBe(text);
    expect(JSON.parse(String(text))).toEqual(odd);
  });
});

test('the console does not escape joining characters of letters and emoji', () => {
  const text = '\u{1f469}\u200d\u{1f4bb} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 co\u00adop';
  expect(visible(text)).toBe(text);
  expect(fieldsFor({ type: 'object', properties: { text: { type: 'string' } } }, { text })).toMatchObject([
    { kind: 'text' },
  ]);
});

test('the console escapes invisible characters, except tabs and line ends', () => {
  expect(visible(`${TURNED}\t\r\n\u0007`)).toBe('pay \\u{202e}100\t\n\\u{7}');
});
