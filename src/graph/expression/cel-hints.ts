/** What people write who know other languages, and the way of CEL. */
const HINTS: readonly (readonly [written: RegExp, cel: string])[] = [
  [/^\s*\{\{/, 'An expression stands here without {{ }}'],
  [/[=!]==/, 'CEL writes == and !='],
  [/(?<!\|)\|(?!\|)/, 'CEL has no pipes: it calls functions, such as state.name.upperAscii()'],
  [/\?\?/, 'CEL writes coalesce(a, b)'],
  [/\?\.(?!\d)/, 'CEL writes state.?a.orValue(b)'],
  [/=>/, 'CEL writes list.map(x, x + 1) and list.filter(x, x > 1)'],
  [/`/, 'CEL joins texts by +'],
  [/\.toUpperCase\b/, 'CEL writes upperAscii()'],
  [/\.toLowerCase\b/, 'CEL writes lowerAscii()'],
  [/\.length\b/, 'CEL writes size(x)'],
  [/\.includes\b/, 'CEL writes text.contains(part) and item in list'],
  [/\.(?:push|concat)\b/, 'CEL joins lists by +'],
  [/\bJSON\.stringify\b/, 'CEL writes json(x)'],
  [/\bJSON\.parse\b/, 'CEL writes parseJson(text)'],
  [/\btypeof\b/, 'CEL writes type(x)'],
  [/\b(?:undefined|None)\b/, 'CEL writes null, and has(state.a) where a member may be absent'],
  [/\b(?:and|or|not)\b/, 'CEL writes &&, || and !'],
  [/\b(?:now|Date)\b/, 'An expression knows no clock; run.startedAt is when the run began'],
];

/** Ends a message about an expression that is no valid CEL: ` CEL writes == and !=.`, or nothing. */
export function celHint(source: string): string {
  const code = source.replaceAll(TEXT, '""');
  const hint = HINTS.find(([written]) => written.test(code))?.[1];
  return hint === undefined ? '' : `. ${hint}`;
}

/** A text in an expression; what stands in it is no code. */
const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
