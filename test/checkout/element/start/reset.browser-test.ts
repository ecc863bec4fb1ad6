/** `reset()`: back to the form with what was typed, but not while a creation is in flight. */
import {
  awaiting,
  form,
  set,
  slow,
  submitted,
  tell,
  type,
} from '../../../support/checkout/stories.js';

const holding = awaiting(({ proxy }) => void (proxy.holds = true));
const status = { phase: 'form', status: null, invoiceId: null };

describe('<pix-checkout>: reset()', () => {
  tell`
    gives up what is in flight, forgets the invoice, and is back at the form
      ${holding} = 1 open > reset = form, 0 open, 0 records, ${{ status }}
    is ignored with a warning while an invoice is being created
      ${submitted(slow(100))} > reset > reset = creating, warns "reset() is ignored in this phase" > 100 = awaiting
    leaves paid and failed too
      ${awaiting()} > pay > Já paguei = paid > reset = form > ${set({ invoice: {} })} = failed > reset = form
    in the form changes nothing
      ${form()} > ${type('name', 'Ana')} > reset = ${{ values: { name: 'Ana' }, told: ['pix-ready'] }}
  `;
});
