import { isContainer, isJsonList, isJsonObject, toTemplateText } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';

/**
 * How a list is written in a query or a form: its name repeated (`ids=a&ids=b`), repeated with brackets
 * (`ids[]=a&ids[]=b`), or once with commas (`ids=a,b`).
 */
export type ListStyle = 'repeat' | 'brackets' | 'commas';

/** A name and its value, before they are escaped. */
type NameAndValue = readonly [name: string, value: string];

/**
 * Writes arguments as the fields of a query or a form. `null` is left out. A member of an object is `name[member]`; an
 * element that is an object or a list has its index in the name (`items[0][price]`).
 * @throws CallError `INVALID_TOOL_ARGUMENTS` when the fields have more than 1,000,000 characters together: each one repeats the names around it
 */
export function toFormFields(args: JsonObject, lists: ListStyle): readonly NameAndValue[] {
  const fields: NameAndValue[] = [];
  let length = 0;
  const add = (name: string, value: string): void => {
    length += name.length + value.length;
    if (length > MAX_FIELD_CHARACTERS) throw fieldsTooLong();
    fields.push([name, value]);
  };
  for (const [name, value] of Object.entries(args)) addFields(add, lists, name, value);
  return fields;
}

/** In characters, of all names and values. */
const MAX_FIELD_CHARACTERS = 1_000_000;

function fieldsTooLong(): CallError {
  const message = `The arguments make fields of more than ${MAX_FIELD_CHARACTERS} characters: each one repeats the names around it`;
  return new CallError('INVALID_TOOL_ARGUMENTS', message, REFUSED);
}

type AddField = (name: string, value: string) => void;

function addFields(add: AddField, lists: ListStyle, name: string, value: Json): void {
  if (value === null) return;
  if (isJsonObject(value))
    for (const [member, inner] of Object.entries(value)) addFields(add, lists, `${name}[${member}]`, inner);
  else if (!isJsonList(value)) add(name, toTemplateText(value));
  else if (value.some(isContainer))
    for (const [index, item] of value.entries()) addFields(add, lists, `${name}[${index}]`, item);
  else
    LISTS[lists](
      add,
      name,
      value.filter((item) => item !== null).map((item) => toTemplateText(item)),
    );
}

const LISTS: Readonly<Record<ListStyle, (add: AddField, name: string, items: readonly string[]) => void>> = {
  repeat(add, name, items) {
    for (const item of items) add(name, item);
  },
  brackets(add, name, items) {
    for (const item of items) add(`${name}[]`, item);
  },
  commas(add, name, items) {
    if (items.length > 0) add(name, items.join(','));
  },
};
