import { isContainer, isJsonList, isJsonObject, toText } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/**
 * How a list is written in a query or a form: its name repeated (`ids=a&ids=b`), repeated with brackets
 * (`ids[]=a&ids[]=b`), or once with commas (`ids=a,b`).
 */
export type ListStyle = 'repeat' | 'brackets' | 'commas';

/** A name and its value, before they are escaped. */
type Field = readonly [name: string, value: string];

/**
 * Writes arguments as the fields of a query or a form. `null` is left out. A member of an object is `name[member]`; an
 * element that is an object or a list has its index in the name (`items[0][price]`).
 */
export function toFields(args: JsonObject, lists: ListStyle): readonly Field[] {
  return Object.entries(args).flatMap(([name, value]) => fieldsOf(name, value, lists));
}

function fieldsOf(name: string, value: Json, lists: ListStyle): readonly Field[] {
  if (value === null) return [];
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([member, inner]) => fieldsOf(`${name}[${member}]`, inner, lists));
  if (!isJsonList(value)) return [[name, toText(value)]];
  if (value.some(isContainer)) return value.flatMap((item, index) => fieldsOf(`${name}[${index}]`, item, lists));
  return LISTS[lists](
    name,
    value.filter((item) => item !== null).map((item) => toText(item)),
  );
}

const LISTS: Readonly<Record<ListStyle, (name: string, items: readonly string[]) => readonly Field[]>> = {
  repeat: (name, items) => items.map((item) => [name, item]),
  brackets: (name, items) => items.map((item) => [`${name}[]`, item]),
  commas: (name, items) => (items.length === 0 ? [] : [[name, items.join(',')]]),
};
