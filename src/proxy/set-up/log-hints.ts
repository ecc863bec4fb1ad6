/** What the proxy tells its operators: each event of the log, and what to do about it. Knows no writer of the log. */

/** By its event, the `hint` that every warning and error carries: one fixed text. */
export const logHints = {
  /** The proxy listens. `postbacksTo` is where the service's postbacks go, `reach` whether the internet can reach it. */
  started:
    'If the service cannot reach postbacksTo, payments are found late: set publicUrl to an address of the internet',
  /** The service refuses the access token. Once, until a call succeeds again. */
  service_unauthorized: 'Set the access token of this environment and this account',
  /** The service failed, or the proxy could not reach it: see `host`, and `code` where there was no answer. */
  service_failed:
    'Check serviceUrl, firewall, certificate, and whether the service is down. Look-ups go on by themselves',
  /** The service refused to create this invoice. */
  service_refused: 'Compare formats and methodNames with your account: npx pix-checkout probe',
  /** The service answered something that its specification does not show, or about another invoice: see `field` (`data`: it holds the access token). */
  invalid_answer: 'Compare the service with what is assumed: npx pix-checkout probe',
  /** No bank could pay this Pix code, or it also authorises later debits (`recurrence`, Pix Automático): see `field`. */
  invalid_code:
    'Ask the service why. For placeholder codes of a test environment set allowUnverifiedCodes',
  /** Some banks refuse this Pix code, for what is in its `field`. The page shows it. Once for each field. */
  code_unusual:
    'Tell the service: accents in 59 or 60, an amount in 54 without two decimals, or no 62',
  /** The page shows another total, `got`, than `resolveOrder` answers, `expected`. Once a minute for each order. */
  amount_mismatch:
    'Compute total-price-cents of the page and total_price_cents of resolveOrder in one place',
  /** A day after it was paid with `expected`, `resolveOrder` prices this order at `got`. Its pages hear `order_closed`. Once a minute for each order. */
  reference_reused:
    "Give each debt its own reference; for a paid order let resolveOrder answer { status: 'paid' }",
  /** A look-up disagrees with what was created: see `field`. */
  mismatch: 'Let a person compare the invoice with the order in the books of the service',
  /** `serviceStatus` is in no list. Once for each. The invoice keeps waiting, or stays paid and `onReturned` is called. */
  unknown_status:
    'Ask what it means, and list it in statuses.refused (card not charged) or statuses.returned (money returned)',
  /** A payment was given back, or is contested: `serviceStatus`. */
  returned: 'Let a person stop the parcel and answer the contest. onReturned tells your server',
  /** `resolveOrder` threw, or took too long (`TimeoutError`). */
  order_failed: 'Read what it threw on stderr, or in onError',
  /** `resolveOrder` returned no order: see `field`. `reason` `nothing_owed`: the total is 0. */
  order_invalid: 'Let resolveOrder answer an order as documented: see field',
  /** The proxy mended or left out wrong `items`, which only describe an order: first `field`. The sale goes on. */
  items_mended:
    'Let resolveOrder answer items as documented: name and description are texts, quantity and unit_price whole numbers',
  /** The sandbox made an invoice, but `allowSandbox` is off. */
  sandbox_invoice: 'Set serviceUrl to the real service; allowSandbox: true is for development only',
  /** The sandbox says paid, but `allowSandbox` is off: the payment does not count. */
  sandbox_payment_withheld:
    'The sandbox took no money: allowSandbox counts its payments, in development only',
  /** A card may have been charged. */
  outcome_unknown:
    'Let a person look the order up in the books of the service, and tell the proxy by resolveOutcome',
  /** A postback names an order that the ledger does not know, and no payment of it. */
  postback_unknown:
    'Was the ledger lost, or restored from an old copy? Look for the payment in the books of the service',
  /** The proxy gave up an id that a postback named: the service does not know it, did not answer for a week, or the order had too many. */
  postback_dropped: 'Look for the payment in the books of the service',
  /** For an hour the service has not said what a postback's id is; until it does, the order cannot be paid. Once a day. */
  postback_unanswered:
    'Let a person look the invoice up in the books of the service, and ask why its look-up fails',
  /** Look-ups found five payments in a row, and no postback came to this process meanwhile. */
  postbacks_missing:
    'Let the service reach publicUrl: is a firewall in the way? Until then payments are found later',
  /** So many cards are refused that stolen ones seem to be tested: cards pass only with `verifyHuman`, or not at all. */
  card_testing_suspected: 'Give verifyHuman a captcha; until then cards wait, and Pix goes on',
  /** `verifyHuman` threw, or took too long (`TimeoutError`). */
  human_check_failed: 'Read what it threw on stderr, or in onError',
  /** A private address sends forwarding headers, but `trustedHops` is 0. */
  forwarding_not_trusted: 'Set trustedHops to the number of web servers in front of the proxy',
  /** The page's origin, `got`, is not in `allowedOrigins`, `expected`. */
  origin_refused: 'Add it to allowedOrigins: scheme, host and port, as the browser sends them',
  /** The proxy refuses an order token: see `reason`. */
  order_token_refused:
    "Sign with each page anew, for this order, with the proxy's secrets and publicUrl: a token ends after 24 hours",
  /** A gateway took a header of the element, `expected`, from a request. */
  header_missing: 'Let every gateway hand on Idempotency-Key, Lookup-Token and Order-Token',
  /** One address asked more often than `addressRequestsPerMinute`, or about one order thirty times. */
  address_limited:
    'If this is not one payer, trustedHops does not count your proxies, or addressRequestsPerMinute is too low',
  /** A look-up token is missing, older than seven days, or made with other secrets or for another invoice. */
  lookup_token_refused:
    'Keep former secrets and publicUrl while pages are open, and draw pages anew within seven days',
  /** Something in front of the proxy has read the request's body. */
  body_already_read:
    'Mount the proxy before express.json() and the like, or keep the bytes as rawBody of the request',
  /** A page sends card numbers (`accept-raw-card`), but `rawCard` is off. */
  raw_card_refused:
    'Set tokenizeCard on the page in place of accept-raw-card, or rawCard: true here: then your server is in PCI DSS scope',
  /** A request's path does not begin with the path of `publicUrl`, `expected` (`/`: `publicUrl` has none). */
  path_outside_public_url:
    'Mount the proxy at the path of publicUrl, and hand requests on with their whole path',
  /** Neither `publicUrl` nor `allowedOrigins` names the host, `got`, under which an order is paid. */
  host_differs:
    'Set publicUrl to the address that browsers and the service reach, or hand their Host on: postbacks go to publicUrl',
  /** A page asked for the element's script, but the proxy cannot read the package's files. */
  assets_missing:
    'Serve the files of dist/pix-checkout* yourself, with assetsUrl for the payment page',
  /** The ledger failed in `operation`; `errorName` has the driver's code (`LedgerError SQLITE_FULL`). At once, then once a minute. */
  ledger_failed:
    'See the code in errorName: is the disk full, may this user write, does the database answer in time?',
  /** The ledger works again. */
  ledger_recovered: 'Nothing: the proxy does now what was due',
  /** The ledger keeps another shop, `expected`, than this one, `got`: the proxy uses nothing of it. */
  ledger_of_other_shop:
    'Give this shop its own ledger. If the shop has moved, set movedFrom to the addresses in expected',
  /** There are hooks, but no ledger: events that are not delivered when this process ends are lost. */
  ledger_missing: 'Give the proxy a ledger (openLedger) before real money',
  /** There is a ledger, but no `onPaid`: no code of yours hears of a payment. */
  on_paid_missing: 'Give the proxy onPaid: it is the only reason to ship',
  /** A hook threw, or took too long (`TimeoutError`). */
  delivery_failed: 'Read what it threw on stderr, or in onError. The proxy calls it again',
  /** A hook has failed for a day or longer; the proxy tries it every six hours. Daily, until `onUndelivered` succeeds. */
  undelivered: 'Mend the hook, then call it at once: `order REF --tell-again`',
  /** A fault of this package. */
  unexpected_error: 'Report it, with errorName and operation',
} satisfies Readonly<Record<string, string>>;
