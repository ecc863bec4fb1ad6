/** Package entry `pix-checkout/service`: the client of the invoice service, for the merchant's own server. */

export { createServiceClient } from './service/client.js';
export type {
  AccessToken,
  CreationOptions,
  Provenance,
  ServiceClient,
  ServiceClientOptions,
} from './service/client.js';
export { ServiceError } from './service/service-error.js';
export type { ServiceErrorDetails, ServiceErrorKind } from './service/service-error.js';
export type { CreatedWireInvoice, CreationRequest, WireInvoice } from './service/wire.js';
