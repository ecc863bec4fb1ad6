/** Package entry `pix-checkout/node`: runs a Web-standard handler, such as the proxy's `fetch`, under `node:http`. */

export { createNodeListener } from './proxy/node-listener.js';
export { createNodeFetch } from './proxy/node-transport.js';
export type { FetchHandler } from './proxy/node-listener.js';
