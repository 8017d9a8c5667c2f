import { setMaxListeners } from 'node:events';

/** Makes a controller to whose signal all requests of a process may listen at a time; Node takes many for a leak. */
export function openAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
