/** The requests below `/scenarios`, for the page of scenarios. docs/reference/console.md describes them. */
import { ApiFault } from '../cloud/http/errors.js';
import { HtmlPage, optionalNumber, type Route, text } from './route.js';

export const SCENARIO_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/scenarios', status: 200, handle: ({ scenarios }) => scenarios.tools.words() },
  {
    method: 'GET',
    path: '/scenarios/example',
    status: 200,
    handle: ({ scenarios, query }) => {
      const example = scenarios.tools.example(query.name ?? '');
      if (example === undefined) throw new ApiFault(404, 'scenario not found');
      return { text: example };
    },
  },
  {
    method: 'POST',
    path: '/scenarios/check',
    status: 200,
    handle: ({ scenarios, body }) => scenarios.tools.check(text(body, 'text')),
  },
  { method: 'GET', path: '/scenarios/run', status: 200, handle: ({ scenarios }) => scenarios.state },
  {
    method: 'POST',
    path: '/scenarios/run',
    status: 201,
    handle: ({ scenarios, body }) => scenarios.start(text(body, 'text'), optionalNumber(body, 'seed')),
  },
  {
    method: 'GET',
    path: '/scenarios/report',
    status: 200,
    handle: ({ scenarios }) => {
      const { report } = scenarios;
      if (report === undefined) throw new ApiFault(404, 'no scenario has ended with a result');
      return new HtmlPage(report);
    },
  },
  {
    method: 'DELETE',
    path: '/scenarios/run',
    status: 204,
    handle: ({ scenarios }) => {
      if (!scenarios.stop()) throw new ApiFault(404, 'no scenario runs');
    },
  },
];
