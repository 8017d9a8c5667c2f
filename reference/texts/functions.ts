/** A function or method that expressions may use, with an example and its value as JSON. */
interface FunctionText {
  /** The name, as it is called. */
  readonly name: string;
  readonly meaning: string;
  /** CEL over `state`, which is `STATE_OF_EXAMPLES`. */
  readonly example: string;
  readonly value: string;
}

export const STATE_OF_EXAMPLES = {
  name: 'Ada Lovelace',
  list: [3, 1, 2],
  order: { total: 80, tags: ['new'] },
  none: null,
};

/** Functions besides those of standard CEL, and standard ones that people ask for. The tests evaluate each example. */
export const FUNCTIONS: readonly FunctionText[] = [
  { name: 'size', meaning: 'length of a text, list or object', example: 'size(state.list)', value: '3' },
  { name: 'has', meaning: 'true if the member is there', example: 'has(state.order.note)', value: 'false' },
  {
    name: 'in',
    meaning: 'true if a list has the element, or an object the key',
    example: '"total" in state.order',
    value: 'true',
  },
  {
    name: 'coalesce',
    meaning: 'the first value, or the second where the first is null',
    example: 'coalesce(state.none, 0)',
    value: '0',
  },
  { name: 'orValue', meaning: 'ends an optional access', example: 'state.?order.?note.orValue("-")', value: '"-"' },
  { name: 'last', meaning: 'last element of a list; null of an empty one', example: 'state.list.last()', value: '2' },
  { name: 'join', meaning: 'elements as one text', example: 'state.list.join("-")', value: '"3-1-2"' },
  {
    name: 'map',
    meaning: 'a list with each element changed',
    example: 'state.list.map(x, x * 10)',
    value: '[30,10,20]',
  },
  {
    name: 'filter',
    meaning: 'a list of the elements that fit',
    example: 'state.list.filter(x, x > 1)',
    value: '[3,2]',
  },
  { name: 'exists', meaning: 'true if an element fits', example: 'state.list.exists(x, x == 2)', value: 'true' },
  { name: 'all', meaning: 'true if all elements fit', example: 'state.list.all(x, x > 0)', value: 'true' },
  { name: 'json', meaning: 'a value as JSON text', example: 'json(state.list)', value: '"[3,1,2]"' },
  { name: 'parseJson', meaning: 'the value of a JSON text', example: String.raw`parseJson("{\"a\":1}").a`, value: '1' },
  { name: 'string', meaning: 'a value as text', example: 'string(state.order.total)', value: '"80"' },
  { name: 'double', meaning: 'a text as number', example: 'double("2.5")', value: '2.5' },
  {
    name: 'contains',
    meaning: 'true if a text holds another one',
    example: 'state.name.contains("Love")',
    value: 'true',
  },
  {
    name: 'startsWith',
    meaning: 'true if a text begins with another one',
    example: 'state.name.startsWith("Ada")',
    value: 'true',
  },
  {
    name: 'endsWith',
    meaning: 'true if a text ends with another one',
    example: 'state.name.endsWith("lace")',
    value: 'true',
  },
  {
    name: 'matches',
    meaning: 'true if a pattern (RE2) is found',
    example: 'state.name.matches("^A[a-z]+ ")',
    value: 'true',
  },
  {
    name: 'lowerAscii',
    meaning: 'small letters, of A to Z only',
    example: 'state.name.lowerAscii()',
    value: '"ada lovelace"',
  },
  {
    name: 'upperAscii',
    meaning: 'capital letters, of a to z only',
    example: 'state.name.upperAscii()',
    value: '"ADA LOVELACE"',
  },
  { name: 'trim', meaning: 'without spaces around', example: '" a ".trim()', value: '"a"' },
  {
    name: 'split',
    meaning: 'parts of a text; the second argument limits their number',
    example: 'state.name.split(" ")',
    value: '["Ada","Lovelace"]',
  },
  {
    name: 'replace',
    meaning: 'occurrences replaced; a third argument limits their number',
    example: 'state.name.replace("Ada", "Lady")',
    value: '"Lady Lovelace"',
  },
  {
    name: 'substring',
    meaning: 'characters from a position, or up to another one',
    example: 'state.name.substring(0, 3)',
    value: '"Ada"',
  },
  { name: 'charAt', meaning: 'one character', example: 'state.name.charAt(4)', value: '"L"' },
  {
    name: 'indexOf',
    meaning: 'position of the first occurrence; -1: there is none',
    example: 'state.name.indexOf("a")',
    value: '2',
  },
  {
    name: 'lastIndexOf',
    meaning: 'position of the last occurrence',
    example: 'state.name.lastIndexOf("a")',
    value: '9',
  },
  {
    name: 'timestamp',
    meaning: 'a time, of RFC 3339',
    example: 'timestamp("2026-01-31T09:30:00Z") < timestamp("2026-02-01T00:00:00Z")',
    value: 'true',
  },
  {
    name: 'duration',
    meaning: 'a time span',
    example: 'timestamp("2026-01-31T09:30:00Z") + duration("1h")',
    value: '"2026-01-31T10:30:00.000Z"',
  },
  {
    name: 'getFullYear',
    meaning:
      'parts of a time, in UTC or at an offset such as "+02:00": also `getMonth` (from 0), `getDate`, `getHours`, `getMinutes`, `getSeconds`, `getMilliseconds`, `getDayOfMonth`, `getDayOfWeek`, `getDayOfYear`',
    example: 'timestamp("2026-01-31T09:30:00Z").getFullYear()',
    value: '2026',
  },
];
