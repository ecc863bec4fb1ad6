import { generateHydrationScript, renderToString } from 'solid-js/web';
import { Page } from './page.jsx';

export const render = (given) =>
  generateHydrationScript() + renderToString(() => <Page {...given} />);
