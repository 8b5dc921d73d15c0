import { render } from 'preact';
import { explain, resume } from './api/session.js';
import { App } from './app.js';
import { startTime } from './model/now.js';
import { followSession } from './model/space.js';
import { makeTextsInert } from './platform/inert-text.js';
import { followAddress } from './route.js';
import './style/index.css';
import { startTheme } from './theme.js';

makeTextsInert();
startTheme();
startTime();
followSession(explain);
void resume().then(followAddress);
const root = document.getElementById('app');
if (root) render(<App />, root);
