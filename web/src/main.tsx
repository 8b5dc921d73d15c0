// First: modules of src/ use `Buffer`, already when the API client begins.
import './platform/buffer.js';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { doubtService } from './api/answering.js';
import { explain, resume } from './api/session.js';
import { followVisibility } from './api/shown.js';
import { App } from './app.js';
import { startTime } from './model/now.js';
import { hasPage, serviceFaults } from './model/run.js';
import { followSession } from './model/space.js';
import { followPlaces } from './place.js';
import { makeTextsInert } from './platform/inert-text.js';
import { startPresenting } from './present.js';
import { followAddress } from './route.js';
import './style/index.css';
import { startTheme } from './theme.js';

makeTextsInert();
startTheme();
startPresenting(hasPage);
startTime();
followVisibility(document);
followSession(explain);
// A page that sends no requests would not notice that the service no longer answers. So a request is sent when a fault of the
// service begins.
effect(() => {
  if (serviceFaults.value !== '') void doubtService();
});
void resume().then(() => {
  // Before the page changes: its place must be read.
  followPlaces();
  followAddress();
});
const root = document.getElementById('app');
if (root) render(<App />, root);
