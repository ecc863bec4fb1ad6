/** Answers of the contract, whole and bare, for its tests. */

export const created = {
  invoice_id: '2f1d4b1e-9c39-4d5e-8a5b-0a4b7a0c9d11',
  order_code: 'ORDER-1',
  external_id: 'order-1',
  qr_code_pix: '00020126…6304ABCD',
  status: 'pending',
  total_cents: 12_345,
  lookup_token: 'v1.a.b',
  expires_in: 600,
};

export const found = {
  invoice_id: created.invoice_id,
  order_code: 'ORDER-1',
  external_id: 'order-1',
  status: 'paid',
  is_pix: true,
  total_cents: 12_345,
  installments: 1,
  qr_code_pix: created.qr_code_pix,
  created_at: '2026-11-21T10:00:00.000000-03:00',
  updated_at: '2026-11-21T10:05:00.000000-03:00',
  expires_in: 300,
};

/** As little as a forwarding proxy may answer. */
export const bare = {
  invoice_id: created.invoice_id,
  external_id: null,
  status: 'pending',
  total_cents: 1,
};
