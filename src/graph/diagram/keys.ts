/** Gives every shape of a drawing a key of its own. */
export interface Keys {
  /**
   * @param prefix what the key is for; with it no key of a node is a word of a diagram's language, such as `end`
   * @param path ids, of which the key shows what it can
   */
  take(prefix: string, path: readonly string[]): string;
}

export function createKeys(): Keys {
  const taken = new Set<string>();
  return {
    take(prefix, path) {
      const wanted = [prefix, ...path.map((id) => id.replaceAll(/[^A-Za-z0-9]/g, '_'))].join('_');
      let key = wanted;
      for (let count = 2; taken.has(key); count += 1) key = `${wanted}__${count}`;
      taken.add(key);
      return key;
    },
  };
}
