import { hydrate } from 'solid-js/web';
import { Page } from './page.jsx';

hydrate(() => <Page {...globalThis.given} />, document.getElementById('app'));
