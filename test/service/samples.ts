/** One whole example of each shape, with every field of the specification. All persons and numbers are made up. */

import type { CreatedWireInvoice, CreationRequest, WireInvoice } from '../../src/service.js';

export const creationRequest = {
  method: 'pix',
  product_fisical: 'digital',
  ip_payer: '192.0.2.7',
  total_price_cents: 12_345,
  postback_url: 'https://shop.example/hooks/pix',
  external_id: 'order-1001',
  payer: {
    name: 'Maria da Silva',
    cpf_cnpj: '52998224725',
    email: 'maria@example.com',
    phone: '11987654321',
    address_zip: '01310100',
    address_line: 'Avenida Paulista',
    address_number: '1000',
    address_complement: 'Conjunto 12',
    address_city: 'São Paulo',
    address_state: 'SP',
  },
  card: {
    token: 'tok_made_up',
    installment: 3,
    number: '4111111111111111',
    first_name: 'Maria',
    last_name: 'Silva',
    month: '07',
    year: '2030',
    security_code: '123',
    cavv: 'AAABB2gHA1B5EFNjWQcDAAAAAAB=',
    xid: 'Uk5ZanBHcWw2RjRCbEN5dGtiMTB=',
    eci: '05',
    version: '2.2.0',
    referenceid: 'a24a5d87-0000-4aef-a37b-2f30b91274e6',
  },
  items: [{ name: 'Camiseta', description: 'Azul, M', quantity: 2, unit_price: 6_000 }],
} satisfies CreationRequest;

export const createdInvoice = {
  external_id: 'order-1001',
  invoice_id: '0b1e6f0c-7f3a-4a3e-9d52-3d3f0f3f9a10',
  order_code: 'ORD-000001',
  qr_code_pix: '000201…',
  status: 'pending',
  total_cents: 12_345,
} satisfies CreatedWireInvoice;

export const invoice = {
  client: {
    cpf_cnpj: '52998224725',
    email: 'maria@example.com',
    id: 77,
    name: 'Maria da Silva',
    phone: '11987654321',
  },
  created_at: '2026-11-21T10:15:30.123456-03:00',
  updated_at: '2026-11-21T10:16:00.000001-03:00',
  end_to_end_id: 'E99999999202611211316a1b2c3d4e5f',
  external_id: 'order-1001',
  installments: 1,
  invoice_id: '0b1e6f0c-7f3a-4a3e-9d52-3d3f0f3f9a10',
  is_pix: true,
  items: [
    {
      ID: 1,
      InvoiceID: 9,
      Title: 'Camiseta',
      Description: 'Azul, M',
      Quantity: 2,
      UnitPrice: 6_000,
      Tangible: true,
      ExternalRef: 'sku-1',
    },
  ],
  order_code: 'ORD-000001',
  payer: {
    cpf: '12345678909',
    end_to_end_id: 'E99999999202611211316a1b2c3d4e5f',
    name: 'José Pagador',
  },
  qr_code_pix: '000201…',
  status: 'paid',
  total_cents: 12_345,
} satisfies WireInvoice;

/** The smallest data that either answer may hold. */
export const bareInvoice = {
  external_id: null,
  invoice_id: 'INV-0001',
  status: 'pending',
  total_cents: 1,
};
