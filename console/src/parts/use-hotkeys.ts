import { useEffect, useEffectEvent } from 'react';

/** Actions, by `KeyboardEvent.key`. */
type Hotkeys = Readonly<Record<string, () => void>>;

const FIELDS = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';

/**
 * Calls actions for single keys. It ignores keys in fields, Enter on buttons and links, keys with Ctrl, Alt or Meta, keys of an
 * input method, and all keys while a modal dialog is open.
 */
export function useHotkeys(hotkeys: Hotkeys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = hotkeys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || isTakenBy(event)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Takes the focus from a field. @returns false if no field has the focus */
export function leaveField(): boolean {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || !field.matches(FIELDS)) return false;
  field.blur();
  return true;
}

function isTakenBy({ target, key, isComposing, defaultPrevented }: KeyboardEvent): boolean {
  if (isComposing || defaultPrevented || document.querySelector('dialog:modal') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches(FIELDS)) return key !== 'Escape';
  return key === 'Enter' && target.matches('button, a, summary');
}
