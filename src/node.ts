/** Package entry `pix-checkout/node`: runs a Web-standard handler, such as the proxy's `fetch`, under `node:http`. */

export { createNodeListener } from './proxy/door/node/listener.js';
export type { FetchHandler, ListenerOptions } from './proxy/door/node/listener.js';
export { serveMetrics } from './proxy/door/node/metrics-endpoint.js';
export type { MetricsOptions, MetricsServer } from './proxy/door/node/metrics-endpoint.js';
export { serveProxy } from './proxy/door/node/server.js';
export type { ProxyServer, ServeOptions } from './proxy/door/node/server.js';
export { createNodeFetch } from './proxy/door/node/transport.js';
