/** English. Words only; terms that the bank app shows in Portuguese stay Portuguese. */

import type { Messages } from './messages.js';

const tryLater = 'The payment service did not answer. Try again in a moment.';
const reload = 'Your access to this payment has expired. Reload the page.';
const notHere = 'Payment is not available on this page. Contact the store.';

export const en: Messages = {
  title: 'Pay with Pix',
  order: (reference) => `Order ${reference}`,
  insteadOf: 'Was',
  discount: (amount) => `${amount} off with Pix`,
  summary: 'Order summary',
  test: 'Test environment: do not pay for real',

  optional: '(optional)',
  letters: 'CNPJ with letters',
  choose: 'Choose',
  generate: 'Generate Pix code',
  newCode: 'Generate a new Pix code',
  retry: 'Try again',

  creating: 'Generating your Pix code…',
  finding: 'Looking for your payment…',
  ready: (amount) => `Pix code for ${amount} is ready.`,
  copy: 'Copy Pix code',
  copiedLabel: 'Code copied',
  copied: 'Code copied. Now open your bank app.',
  copyFailed: 'Could not copy. Touch and hold the code, then choose Copy.',
  waiting: 'Waiting for your payment. This page updates by itself.',
  checking: 'Checking…',
  notYet: 'We have not received the confirmation yet. If you already paid, do not pay again.',
  offline: 'You are offline. We will carry on as soon as you are back.',
  troubledLine: 'The connection is unstable. We keep trying.',
  payUntil: (time) => `Pay by ${time}`,
  timeLeft: (clock) => `${clock} left`,
  lessThan: (minutes) =>
    `Less than ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left to pay.`,

  howTo: 'How to pay',
  steps: [
    'Copy the Pix code.',
    'Open your bank app.',
    'In the bank app, choose Pix Copia e Cola, check the name and amount, and pay. Then come back here.',
  ],
  receiver: 'Recipient',
  receiverMaybe: 'In the bank app, the recipient may appear as',
  code: 'Pix Copia e Cola',
  wholeCode: 'Show whole code',
  qrTitle: 'Pay with another device',
  qrHint: 'Point the camera of your bank app at the QR code.',
  qrName: (amount, receiver) => `Pix QR code for ${amount}${receiver && ` to ${receiver}`}`,
  alreadyPaid: 'I have paid',
  trouble: 'Code not working?',
  troubleOffer:
    'We have not received anything yet. If the code does not work, generate another and pay only one of them.',

  confirming: (reference) =>
    `We are confirming your payment. Do not pay again.${reference && ` Order ${reference}.`}`,
  expired: 'This code has expired. If you already paid, do not pay again: we keep checking.',
  paid: (amount) => `Payment confirmed. We received ${amount}.`,
  amount: 'Amount',
  method: 'Payment method',
  pix: 'Pix',
  card: 'Credit card',
  reference: 'Order',
  orderCode: 'Payment code',
  confirmedAt: 'Confirmed on',
  receiptNote: 'Your bank’s receipt is in your bank app.',

  fields: {
    name: 'Full name',
    cpf_cnpj: 'CPF or CNPJ',
    email: 'Email',
    phone: 'Mobile phone',
    address_zip: 'CEP (postal code)',
    address_line: 'Street',
    address_number: 'Number',
    address_complement: 'Apartment, suite',
    address_city: 'City',
    address_state: 'State',
  },
  hints: { phone: 'With area code', address_number: 'No number: S/N' },
  faults: {
    missing: (label) => `Fill in ${label}.`,
    invalid: (label) => `Check ${label}.`,
    too_long: (label) => `Use fewer characters in ${label}.`,
  },
  invalid: {
    name: 'Write your name in letters.',
    cpf_cnpj: 'Check the CPF or CNPJ: it has a typing error.',
    email: 'Check the email. Example: name@email.com',
    phone: 'Check the number and area code. Example: (11) 98765-4321',
    address_zip: 'Check the CEP: it has 8 digits.',
  },
  nothingCharged: 'Nothing was charged in this attempt.',
  askShop: 'Contact the store.',
  errors: {
    invalid_request: 'Some of the data was not accepted. Check what you filled in and try again.',
    unknown_order: 'We could not find this order. Go back to the store and start again.',
    order_paid: 'This order is already paid. Do not pay again.',
    order_closed: 'This order can no longer be paid. Contact the store.',
    amount_mismatch: 'The order total has changed. Reload the page before you pay.',
    unauthorized: reload,
    not_found:
      'We could not find this payment. If you already paid, do not pay again: contact the store.',
    in_progress: 'Another payment of this order is in progress. Wait a minute and try again.',
    key_reused: reload,
    too_many_requests: 'There were too many attempts. Wait a minute and try again.',
    payment_refused: 'Payment not approved. Check the data, use another card or pay with Pix.',
    outcome_unknown: 'We are confirming your payment. Do not pay again.',
    service_unavailable: tryLater,
    configuration: notHere,
    invalid_code: 'The Pix code arrived damaged and is not shown.',
    code_amount_differs: 'The Pix code came with another amount and is not shown.',
    invalid_answer: tryLater,
    network: 'We could not connect. Check your internet and try again.',
    reference_mismatch:
      'The payment we found does not match this order. Do not pay again: contact the store.',
    unsupported_method: notHere,
  },
};
