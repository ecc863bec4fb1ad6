/** The events of the log and what operators should do about each. This file does not write any log. */

/** The `hint` of each event, a fixed text that every warning and error carries. */
export const logHints = {
  /** The proxy listens, for postbacks at `postbacksTo`; `reach` says who can reach that. */
  started: 'If the service cannot reach postbacksTo, set publicUrl to an internet address',
  /** The service refuses the access token. Once, until a call succeeds. */
  service_unauthorized: 'Set accessToken to the one of this environment and account',
  /** The service failed, or was not reached: see `host` and `code`. */
  service_failed: 'Check serviceUrl, accessToken, firewall, certificate, service',
  /** The service refused to create this invoice. */
  service_refused: 'Compare formats and methodNames with your account: npx pix-checkout probe',
  /** An answer of another shape or about another invoice: see `field` (`data`: it holds the access token). */
  invalid_answer: 'Compare the service with what is assumed: npx pix-checkout probe',
  /** No bank could pay this Pix code, or it authorises later debits (`recurrence`): see `field`. */
  invalid_code: 'Ask the service why. For placeholder codes of a test set allowUnverifiedCodes',
  /** Some banks refuse this Pix code because of its `field`. The page shows it. Once for each. */
  code_unusual: 'Tell the service: accents in 59 or 60, no two decimals in 54, or no 62',
  /** The page shows `got`, `resolveOrder` answers `expected`. */
  amount_mismatch: 'Compute total-price-cents and total_price_cents in one place',
  /** An order that was paid with `expected` costs `got` a day later. Its pages get `order_closed`. */
  reference_reused: "Give each debt its own reference; of a paid order answer { status: 'paid' }",
  /** A look-up disagrees with what was created: see `field`. */
  mismatch: "Let a person compare invoice and order in the service's books",
  /** `serviceStatus` is in no list. Once for each. The invoice stays as it is; if it was paid, `onReturned` comes. */
  unknown_status:
    'Ask what it means, and list it in statuses.refused (not charged) or statuses.returned',
  /** A payment was given back, or is contested: `serviceStatus`. */
  returned: 'Let a person stop the parcel and answer the contest',
  /** `resolveOrder` threw, or took too long (`TimeoutError`). */
  order_failed: 'Read on stderr, or in onError, what resolveOrder threw',
  /** `resolveOrder` returned no order, or undefined: see `field`. `reason` `nothing_owed`: the total is 0. */
  order_invalid: 'Let resolveOrder answer an order as documented: see field',
  /** The proxy mended or left out wrong `items`: first `field`. The sale goes on. */
  items_mended: 'Let name and description be texts, quantity and unit_price whole numbers',
  /** The sandbox made an invoice, but `allowSandbox` is off. */
  sandbox_invoice: 'Set serviceUrl to the real service; allowSandbox is for development only',
  /** The sandbox says paid, but `allowSandbox` is off. */
  sandbox_payment_withheld:
    'The sandbox took no money: its payments count with allowSandbox, in development only',
  /** A card may have been charged. */
  outcome_unknown: "Let a person look in the service's books, and tell the proxy by resolveOutcome",
  /** A postback's order is not in the ledger. */
  postback_unknown: "Was the ledger lost, or restored? Look for the payment in the service's books",
  /** An id that a postback named is given up: the service does not know it, was silent for a week, or the order had too many. */
  postback_dropped: "Look for the payment in the service's books",
  /** For an hour the service has not said what a postback's id is: its order takes no card and gives no new code. Daily. */
  postback_unanswered: "Let a person look in the service's books, and ask why look-ups fail",
  /** Look-ups found five payments in a row, without a postback to this process. */
  postbacks_missing: 'Let the service reach publicUrl: is a firewall in the way?',
  /** So many cards are refused that they seem stolen: cards pass only with `verifyHuman`. */
  card_testing_suspected: 'Give verifyHuman a captcha; until then cards wait, and Pix goes on',
  /** `verifyHuman` threw, or took too long (`TimeoutError`). */
  human_check_failed: 'Read on stderr, or in onError, what verifyHuman threw',
  /** A private address sends forwarding headers, but `trustedHops` is 0. */
  forwarding_not_trusted: 'Set trustedHops to the number of web servers in front of the proxy',
  /** The page's origin, `got`, is not in `allowedOrigins`, `expected`: it asked, or loaded a script. */
  origin_refused: "Add the page's origin to allowedOrigins: scheme, host and port",
  /** A page's `external_id` has a letter that no reference may have, or is too long. */
  reference_refused:
    'A reference is 1 to 64 of A-Z a-z 0-9 . _ : - alone: give orders with a slash, a space or an emoji another one',
  /** The proxy refuses an order token: see `reason`. */
  order_token_refused:
    "Sign each page anew, for this order, with the proxy's secrets and publicUrl: a token ends after 24 hours",
  /** A request came without a header, `expected`. */
  header_missing: 'Let every gateway hand on Idempotency-Key, Lookup-Token and Order-Token',
  /** One address asked more than `addressRequestsPerMinute`, or thirty times about one order. */
  address_limited: 'If this is not one payer, set trustedHops, or raise addressRequestsPerMinute',
  /** A look-up token is missing, too old, of other secrets or another invoice. */
  lookup_token_refused:
    'Keep former secrets and publicUrl while pages are open, seven days at most; draw older pages anew',
  /** The request's body was read before the proxy. */
  body_already_read:
    'Mount the proxy before express.json() and the like, or keep the bytes as rawBody',
  /** A page sends card numbers (`accept-raw-card`), but `rawCard` is off. */
  raw_card_refused:
    'Set tokenizeCard in place of accept-raw-card, or rawCard: true here (PCI DSS scope), of serve PIX_RAW_CARD=true',
  /** A path does not begin with that of `publicUrl`, `expected` (`/`: it has none). */
  path_outside_public_url:
    'Mount the proxy at the path of publicUrl, and hand requests on with their whole path',
  /** A page's host, `got`, is in neither `publicUrl` nor `allowedOrigins`. */
  host_differs: 'Set publicUrl to what the service reaches too, for postbacks, or hand the Host on',
  /** The proxy cannot read the package's files. */
  assets_missing: 'Serve dist/pix-checkout* yourself, with assetsUrl for the payment page',
  /** The ledger failed in `operation`. Once a minute. */
  ledger_failed:
    'See errorName: is the disk full, may this user write, does the database answer in time?',
  /** The ledger works again. */
  ledger_recovered: 'Nothing: the proxy does now what was due',
  /** The ledger belongs to another shop (`expected`) than this proxy's (`got`), so it is not used. */
  ledger_of_other_shop:
    'Begin with a new file or database, or, if this shop has moved, set movedFrom, as the entry spells it',
  /** There are hooks, but no ledger: if this process ends, undelivered events are lost. */
  ledger_missing: 'Give the proxy a ledger (openLedger) before real money',
  /** There is a ledger, but no `onPaid`. */
  on_paid_missing: 'Give the proxy onPaid: it is the only reason to ship',
  /** A hook threw, or took too long (`TimeoutError`). */
  delivery_failed: 'Read what it threw on stderr, or in onError. The proxy calls it again',
  /** A hook has failed for a day, and is tried every six hours. Daily, until `onUndelivered` succeeds. */
  undelivered: 'Mend the hook, then call it at once: `order REF --tell-again`',
  /** A fault of this package. */
  unexpected_error: 'Report it, with errorName and operation',
} satisfies Readonly<Record<string, string>>;
