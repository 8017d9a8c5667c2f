/** Makes unique keys for the shapes of a drawing. */
export interface Keys {
  /**
   * @param prefix the kind of key; it keeps the key of a node from being a keyword, such as `end`
   * @param path ids; other characters than letters and digits become underscores
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
