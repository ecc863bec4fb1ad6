import { createPage } from './page.js';

createPage(globalThis.given).mount('#app');
