/** Package entry `pix-checkout/sandbox`: a local service for demo and tests. Never for production. */

export type { Charge, Charges } from './sandbox/charges.js';
export type { Fault } from './sandbox/faults.js';
export type { SandboxInvoice } from './sandbox/invoice.js';
export { serveSandbox } from './sandbox/serve-sandbox.js';
export type { SandboxServer } from './sandbox/serve-sandbox.js';
export { createSandbox } from './sandbox/sandbox.js';
export type { Sandbox, SandboxOptions } from './sandbox/sandbox.js';
export { testCards } from './sandbox/test-cards.js';
export type { ReceivedCard, TestCard } from './sandbox/test-cards.js';
