/** Names of a configuration file that need not be given, the first choice first. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `holdfast.config.${extension}`,
);
