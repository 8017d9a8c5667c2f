import { preloadPage } from './pages/load-page.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/layout.css';

const showing = import('./show-app.tsx');
void preloadPage(location.pathname);
void showing.then(({ showApp }) => showApp());
