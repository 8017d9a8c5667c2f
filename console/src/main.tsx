import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/layout.css';

const place = document.querySelector('#app');
if (!place) throw new Error('index.html has no place for the console');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
