/** What to do about each event of the log: one fixed text, which every warning and error carries as its `hint`. */

import type { LogEvent } from './options/options.js';

export const logHints: Readonly<Record<LogEvent, string>> = {
  started:
    'The service may not reach postbacksTo: then payments are found by asking, later. Set publicUrl to an address of the internet',
  service_unauthorized:
    'Another access token: is it the one of this environment, and of this account?',
  service_failed:
    'Look at host, code and status: a wrong serviceUrl, a firewall, a certificate, or a service that is down. Look-ups go on by themselves',
  service_refused:
    'Compare what is sent with what your account may do: formats, methodNames, and npx pix-checkout probe',
  invalid_answer: 'npx pix-checkout probe compares the service with what is assumed of it',
  invalid_code:
    'Ask the service why; allowUnverifiedCodes lets placeholder codes of a test environment pass',
  code_unusual:
    'Tell the service: field says where its codes differ (accents in 59 or 60, an amount in 54 without two decimals, no 62)',
  amount_mismatch:
    'Compute total-price-cents of the page, got, and total_price_cents of resolveOrder, expected, in one place',
  mismatch: 'For a person: compare the invoice with the order in the books of the service',
  unknown_status:
    'Find out what the word means. If a card was not charged, add it to statuses.refused; if money was returned, to statuses.returned',
  returned: 'For a person: stop the parcel, answer the contest. onReturned tells your server',
  reference_reused:
    "Give each debt a reference of its own; for a paid order let resolveOrder answer { status: 'paid' }",
  order_failed: 'What resolveOrder threw is on stderr, or with onError',
  order_invalid: 'Let resolveOrder answer an order as documented: field says where it does not',
  items_mended:
    'Let resolveOrder answer items as documented: name and description are texts, quantity and unit_price whole numbers',
  sandbox_invoice: 'Another serviceUrl for real payments; allowSandbox: true in development only',
  sandbox_payment_withheld:
    'The sandbox took no money: allowSandbox counts its payments, in development only',
  outcome_unknown:
    'For a person: look the order up in the books of the service, and tell the proxy by resolveOutcome',
  postback_unknown:
    'Was the ledger lost, or restored from an old copy? Look for the payment in the books of the service',
  postback_unanswered:
    'For a person: look the invoice up in the books of the service, and ask the service why its look-up fails',
  postbacks_missing:
    'Does a firewall keep them away? The service has to reach publicUrl; payments are found later without them',
  postback_dropped: 'Look for the payment in the books of the service',
  card_testing_suspected: 'Give verifyHuman a captcha; until then cards wait, and Pix goes on',
  human_check_failed: 'What verifyHuman threw is on stderr, or with onError',
  forwarding_not_trusted: 'trustedHops: 1, or as many web servers as stand in front of the proxy',
  origin_refused:
    'Add the origin of your page to allowedOrigins: scheme, host and port, as the browser sends it',
  order_token_refused:
    'Sign with the same secrets and publicUrl as the proxy has, for this order, and anew with each page: a token ends after 24 hours',
  address_limited:
    'If this is not one payer, trustedHops does not count your proxies, or addressRequestsPerMinute is too low',
  header_missing:
    'Let every gateway hand on the headers Idempotency-Key, Lookup-Token and Order-Token',
  lookup_token_refused:
    'Keep former secrets in the list while their pages are open, and publicUrl as it is. Tokens end after seven days: draw pages anew',
  body_already_read:
    'Mount the proxy before express.json() and everything else that reads request bodies, or keep the bytes as rawBody of the request',
  raw_card_refused:
    'Set tokenizeCard on the page in place of accept-raw-card, or rawCard: true here: then your server is in PCI DSS scope',
  path_outside_public_url:
    'Hand requests on with their whole path: it begins with the path of publicUrl, which is where the proxy is mounted',
  host_differs:
    'Set publicUrl to the address that browsers and the service reach, or hand their Host on: postbacks go to publicUrl',
  assets_missing:
    'This program cannot read the package: serve the files of dist/pix-checkout* yourself, with assetsUrl for the payment page',
  ledger_failed:
    'errorName has the code of the database: is there room on its disk, may this user write, does it answer in time?',
  ledger_recovered: 'What was due meanwhile is done now, by itself',
  ledger_of_other_shop:
    'Give this shop a ledger of its own. If it is the same shop and has moved, set movedFrom to the addresses in expected',
  ledger_missing: 'Give the proxy a ledger (openLedger) before real money',
  on_paid_missing: 'Give the proxy onPaid: it is the only reason to ship',
  delivery_failed: 'What your hook threw is on stderr, or with onError. It is called again',
  undelivered: 'Mend the hook; then `order REF --tell-again` calls it at once, or wait six hours',
  unexpected_error: 'Please report it, with errorName and operation',
};
