/** That the log of the demo shows nothing of a person, a card or a token, wherever in a body it stands. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { toMasked } from '../../demo/qa/mask.js';

const personal = ['Maria', '52998224725', 'maria@example.com', '4111111111111111', '737', 'tok_x'];

describe('a body in the log', () => {
  it('hides whatever is not known to be harmless', () => {
    const [name, cpf_cnpj, email, number, security_code, token] = personal;
    const body = {
      method: 'credit_card',
      external_id: '1042',
      order_token: token,
      payer: { name, cpf_cnpj, email, phones: [{ phone: cpf_cnpj }] },
      card: { number, security_code, token, installment: 3, year: 2039 },
    };
    const shown = toMasked(JSON.stringify(body));
    for (const value of personal) assert.ok(!shown.includes(value), value);
    assert.deepEqual(JSON.parse(shown), {
      method: 'credit_card',
      external_id: '1042',
      order_token: '•••',
      payer: { name: '•••', cpf_cnpj: '•••', email: '•••', phones: [{ phone: '•••' }] },
      card: { number: '•••', security_code: '•••', token: '•••', installment: 3, year: '•••' },
    });
  });

  it('shows a long code by its beginning, and keeps what is empty', () => {
    const body = { data: { qr_code_pix: 'x'.repeat(200), is_pix: true, payer: null } };
    assert.deepEqual(JSON.parse(toMasked(JSON.stringify(body))), {
      data: { qr_code_pix: `${'x'.repeat(48)}…`, is_pix: true, payer: null },
    });
  });

  it('shows nothing of a text that is no JSON', () => {
    assert.equal(toMasked(`{"name": "Maria`), '15 characters, no JSON');
    assert.equal(toMasked(''), '');
  });
});
