import { renderToString } from 'vue/server-renderer';
import { createPage } from './page.js';

export const render = (given) => renderToString(createPage(given));
