import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

/** Shows the console in its place in `index.html`. */
export function showApp(): void {
  const place = document.querySelector('#app');
  if (!place) throw new Error('index.html has no place for the console');
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
