/** Package entry `pix-checkout/service`: the client of the invoice service, for the merchant's own server. */

export type { AccessToken } from './service/client.js';
export { createServiceClient } from './service/client.js';
export type {
  Provenance,
  SendingOptions,
  ServiceAnswer,
  ServiceClient,
  ServiceClientOptions,
} from './service/client.js';
export type { ServiceMethod } from './service/free-request.js';
export { ServiceError } from './service/service-error.js';
export type { ServiceErrorDetails, ServiceErrorKind } from './service/service-error.js';
export type { TraceContext } from './service/client.js';
export type {
  CreatedWireInvoice,
  CreationCard,
  CreationItem,
  CreationPayer,
  CreationRequest,
  WireClient,
  WireInvoice,
  WireInvoiceItem,
  WirePayer,
} from './service/wire.js';
