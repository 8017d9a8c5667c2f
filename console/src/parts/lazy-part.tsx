import { lazy } from 'react';
import type { ComponentType } from 'react';
import { Notice } from './notice.tsx';

/**
 * A part that is loaded when it is shown, within a `Suspense`. One that can't be loaded says so in its own place: the rest
 * of the page, such as a decision that somebody has begun, stays.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await load().catch(() => NotLoaded) }));
}

function NotLoaded(): ReturnType<typeof Notice> {
  return <Notice kind="bad">This part could not be loaded. It is there once the page is opened again.</Notice>;
}
