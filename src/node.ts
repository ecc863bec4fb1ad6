/** Package entry `pix-checkout/node`: runs a Web-standard handler, such as the proxy's `fetch`, under `node:http`. */

export { createNodeListener } from './proxy/node/listener.js';
export type { FetchHandler, ListenerOptions } from './proxy/node/listener.js';
export { serveMetrics } from './proxy/node/metrics-endpoint.js';
export type { MetricsOptions, MetricsServer } from './proxy/node/metrics-endpoint.js';
export { serveProxy } from './proxy/node/server.js';
export type { ProxyServer, ServeOptions } from './proxy/node/server.js';
export { createNodeFetch } from './proxy/node/transport.js';
