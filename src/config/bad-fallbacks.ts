import type { ToolConfig } from './tools.ts';

/** What `onFailure` may say besides the name of a tool. */
const OWN_WORDS: ReadonlySet<string> = new Set(['tell', 'intervene']);

/**
 * What `onFailure` may not say: names of tools that are not there, and circles.
 * @param isJudged of names without a tool: whether they are wrong already
 */
export function findBadFallbacks(
  tools: readonly Pick<ToolConfig, 'name' | 'onFailure'>[],
  isJudged: (name: string) => boolean = () => true,
): readonly { readonly at: number; readonly message: string }[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return tools.flatMap(({ name, onFailure }, at) => {
    if (onFailure === undefined || OWN_WORDS.has(onFailure)) return [];
    if (byName.has(onFailure)) return leadsBack(name, byName) ? [{ at, message: `leads back to "${name}"` }] : [];
    return isJudged(onFailure) ? [{ at, message: 'must be "tell", "intervene" or the name of a tool' }] : [];
  });
}

function leadsBack(name: string, tools: ReadonlyMap<string, Pick<ToolConfig, 'onFailure'>>): boolean {
  const seen = new Set<string>();
  for (let next = tools.get(name)?.onFailure; next !== undefined && !seen.has(next);) {
    if (next === name) return true;
    seen.add(next);
    next = tools.get(next)?.onFailure;
  }
  return false;
}
