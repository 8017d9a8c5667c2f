export type Theme = 'light' | 'dark';

const KEY = 'holdfast.theme';

/** The theme that the person has chosen here, or that of the system. */
export function readTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Shows the page in a theme. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Shows a theme, and remembers it for other times. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme(theme);
}
