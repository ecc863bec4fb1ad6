/** Invented people, cards and tokens, and the one test that finds any of them where it must not be. */

export const accessToken = 'access-canary-token';
export const payer = {
  name: 'Canary Payer',
  cpf_cnpj: '52998224725',
  email: 'canary@example.com',
  phone: '11987654321',
};
export const rawCard = { number: '4111111111111111', security_code: '737' };

/** What a look-up of the service says of people. */
export const personal = {
  client: { id: 1, ...payer },
  payer: { name: 'Canary Bank Client', cpf: '11144477735', end_to_end_id: '' },
};

/** Each payer's address begins so. */
export const addressPrefix = '198.51.100.';

// Card tokens are `outcome-canary-…`, names and addresses hold the word themselves.
const traces = /canary|52998224725|11144477735|11987654321|4111111111111111|198\.51\.100\./i;

/** The canary in a text; null: none. */
export const findCanary = (text: string): string | null => traces.exec(text)?.[0] ?? null;
