/** A second order that is open, with its own token. */

import { create, creating, inGroup, lookUp, openInvoice, withKey } from './requests.js';
import type { Point } from '../point.js';

const asSecond = { external_id: '{second_order}', order_token: '{second_token}' };
const ofSecond = {
  data: { external_id: '{second_order}' },
  differs: { invoice_id: '{invoice_id}', qr_code_pix: '{code}' },
};

export const secondOrder: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'second-order',
    name: 'Two orders share no code',
    why: 'One payment would be booked for both, or for the wrong one',
    change: 'Keep codes, and keys, under the order’s reference',
    asks: [
      creating(asSecond, ofSecond, { keeps: 'second_order' }),
      {
        ...withKey(create, 'key'),
        body: asSecond,
        expect: { ...ofSecond, codes: ['key_reused'] },
      },
      {
        ...lookUp,
        needs: ['code_of_second'],
        expect: { data: openInvoice, differs: { qr_code_pix: '{code_of_second}' } },
      },
    ],
  },
  {
    id: 'replaces-foreign',
    name: 'A wish to replace another order’s invoice leaves both orders as they are',
    why: 'Two orders would get four codes, or one the code of the other',
    change: 'Compare replaces with the open code of this very order, not with all that you know',
    asks: [
      creating(
        { ...asSecond, replaces: '{invoice_id}' },
        { ...ofSecond, data: { ...ofSecond.data, invoice_id: '{id_of_second}' } },
      ),
      creating({ replaces: '{id_of_second}' }, { data: openInvoice }),
    ],
  },
]);
