import { useEffect, useState } from 'react';
import type { JSX } from 'react';
import { Icon } from '../parts/icon.tsx';
import { chooseTheme, readTheme, showTheme } from './theme.ts';

/** Changes between light and dark. */
export function ThemeToggle(): JSX.Element {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => showTheme(theme), [theme]);
  const other = theme === 'dark' ? 'light' : 'dark';
  const change = (): void => {
    chooseTheme(other);
    setTheme(other);
  };
  return (
    <button type="button" className="button quiet" onClick={change} aria-label={`Show it ${other}`}>
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
