/** Every property that is no text, as a shop may set it; for each framework's page alike. */
export const everything = {
  totalPriceCents: 12_990,
  pixTotalPriceCents: 12_990,
  autoStart: true,
  expiresIn: 900,
  pollInterval: 250,
  allowUnverifiedCode: true,
  invoice: null,
  acceptRawCard: false,
  payer: { name: 'Maria da Silva', cpf_cnpj: '52998224725', email: 'maria@example.com' },
  items: [{ name: 'Café', quantity: 1, unit_price: 12_990 }],
  lines: [{ label: 'Frete', cents: 0 }],
  texts: { generate: 'Quero pagar' },
  installments: [{ installment: 1, total_cents: 12_990 }],
  lookUpAddress: async () => ({ address_city: 'São Paulo' }),
  tokenizeCard: async () => ({ token: 'test' }),
};

/** What the page hears, by the names of the events. */
export const eventNames = [
  'ready',
  'submit',
  'created',
  'status',
  'copy',
  'paid',
  'expired',
  'error',
];

/** Tells the test of an event that a handler of the framework was called with. */
export function tell({ type }: { readonly type: string }): void {
  (window.told ??= []).push(type);
}
