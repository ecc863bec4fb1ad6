/** What to do about each event of the log: one fixed text, which every warning and error carries as its `hint`. */

import type { LogEvent } from './options/options.js';

export const logHints: Readonly<Record<LogEvent, string>> = {
  started:
    'If the service cannot reach postbacksTo, payments are found late: set publicUrl to an address of the internet',
  service_unauthorized: 'Set the access token of this environment and this account',
  service_failed:
    'Check serviceUrl, firewall, certificate, and whether the service is down. Look-ups go on by themselves',
  service_refused: 'Compare formats and methodNames with your account: npx pix-checkout probe',
  invalid_answer: 'Compare the service with what is assumed: npx pix-checkout probe',
  invalid_code:
    'Ask the service why. For placeholder codes of a test environment set allowUnverifiedCodes',
  code_unusual:
    'Tell the service: accents in 59 or 60, an amount in 54 without two decimals, or no 62',
  amount_mismatch:
    'Compute total-price-cents of the page and total_price_cents of resolveOrder in one place',
  reference_reused:
    "Give each debt its own reference; for a paid order let resolveOrder answer { status: 'paid' }",
  mismatch: 'Let a person compare the invoice with the order in the books of the service',
  unknown_status:
    'Ask what it means, and list it in statuses.refused (card not charged) or statuses.returned (money returned)',
  returned: 'Let a person stop the parcel and answer the contest. onReturned tells your server',
  order_failed: 'Read what it threw on stderr, or in onError',
  order_invalid: 'Let resolveOrder answer an order as documented: see field',
  items_mended:
    'Let resolveOrder answer items as documented: name and description are texts, quantity and unit_price whole numbers',
  sandbox_invoice: 'Set serviceUrl to the real service; allowSandbox: true is for development only',
  sandbox_payment_withheld:
    'The sandbox took no money: allowSandbox counts its payments, in development only',
  outcome_unknown:
    'Let a person look the order up in the books of the service, and tell the proxy by resolveOutcome',
  postback_unknown:
    'Was the ledger lost, or restored from an old copy? Look for the payment in the books of the service',
  postback_dropped: 'Look for the payment in the books of the service',
  postback_unanswered:
    'Let a person look the invoice up in the books of the service, and ask why its look-up fails',
  postbacks_missing:
    'Let the service reach publicUrl: is a firewall in the way? Until then payments are found later',
  card_testing_suspected: 'Give verifyHuman a captcha; until then cards wait, and Pix goes on',
  human_check_failed: 'Read what it threw on stderr, or in onError',
  forwarding_not_trusted: 'Set trustedHops to the number of web servers in front of the proxy',
  origin_refused: 'Add it to allowedOrigins: scheme, host and port, as the browser sends them',
  order_token_refused:
    "Sign with each page anew, for this order, with the proxy's secrets and publicUrl: a token ends after 24 hours",
  header_missing: 'Let every gateway hand on Idempotency-Key, Lookup-Token and Order-Token',
  address_limited:
    'If this is not one payer, trustedHops does not count your proxies, or addressRequestsPerMinute is too low',
  lookup_token_refused:
    'Keep former secrets and publicUrl while pages are open, and draw pages anew within seven days',
  body_already_read:
    'Mount the proxy before express.json() and the like, or keep the bytes as rawBody of the request',
  raw_card_refused:
    'Set tokenizeCard on the page in place of accept-raw-card, or rawCard: true here: then your server is in PCI DSS scope',
  path_outside_public_url:
    'Mount the proxy at the path of publicUrl, and hand requests on with their whole path',
  host_differs:
    'Set publicUrl to the address that browsers and the service reach, or hand their Host on: postbacks go to publicUrl',
  assets_missing:
    'Serve the files of dist/pix-checkout* yourself, with assetsUrl for the payment page',
  ledger_failed:
    'See the code in errorName: is the disk full, may this user write, does the database answer in time?',
  ledger_recovered: 'Nothing: the proxy does now what was due',
  ledger_of_other_shop:
    'Give this shop its own ledger. If the shop has moved, set movedFrom to the addresses in expected',
  ledger_missing: 'Give the proxy a ledger (openLedger) before real money',
  on_paid_missing: 'Give the proxy onPaid: it is the only reason to ship',
  delivery_failed: 'Read what it threw on stderr, or in onError. The proxy calls it again',
  undelivered: 'Mend the hook, then call it at once: `order REF --tell-again`',
  unexpected_error: 'Report it, with errorName and operation',
};
