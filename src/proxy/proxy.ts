/**
 * The composition root: creates the parts of a proxy and passes them to one another. The access token goes to the service's
 * client and nowhere else.
 */

import { createServiceClient, type AccessToken } from '../service.js';
import { createCardGuards } from './run/card-guards.js';
import { callMerchant, createInFlight, findCallingMerchant } from './runtime/running.js';
import type { PixProxy, ProxyOptions } from './set-up/options/options.js';
import { readOptions, type Settings } from './set-up/options/read-options.js';
import { attachInternals } from './door/request.js';
import { toAddress } from './runtime/client-address.js';
import {
  createRateLimit,
  createSandboxMark,
  createServiceCalls,
  createPace,
} from './outside/service-calls.js';
import { createHandler, toStartEntry, createReadiness } from './door/handler.js';
import { createAddressLimit } from './door/address-limit.js';
import { createCreateInvoice, toCreateRequest, createRefuseReused } from './door/create.js';
import { describeOrder } from './order/told/describe-order.js';
import { forgetOrder } from './store/order-store.js';
import { createLookUpInvoice, createSummarizeOrder } from './door/look-up.js';
import { createRecoverInvoice } from './door/recover.js';
import { createPaymentPage } from './door/pay/payment-page.js';
import { createQrImages } from './door/pay/qr-image.js';
import { createShowings, createPayByPix } from './run/pix.js';
import { createPostbacks } from './door/postbacks/postbacks.js';
import {
  createFindNamed,
  createLookUpFirst,
  createNews,
  createRecordAnswer,
  createPostbackWatch,
  createLookUps,
} from './run/look-up.js';
import { createPayByCard } from './run/card.js';
import { createResolveOutcome, createWork } from './run/due/work.js';
import { createPersistentWrites } from './run/persistent.js';
import { createRunAsk } from './run/run-ask.js';
import { createToProxyError, toUnavailableError } from './set-up/proxy-error.js';
import { createLongPolls } from './door/long-polls.js';
import { createMemoryStore } from './store/memory-store.js';
import { OtherShopError, createShopStore } from './store/shop-store.js';
import {
  toPaymentLink,
  createLookUpTokens,
  createOrderTokens,
  createPostbackUrls,
} from './door/tokens/tokens.js';

/**
 * Makes the holder of the access token: a request handler for the browser's routes and the service's postbacks, and
 * `createInvoice` for the merchant's own server. With a ledger or a hook it also works without requests, from its first
 * call (under `serveProxy` and `createNodeListener` at once) until it is closed.
 *
 * @throws TypeError naming each option that is wrong or unknown, in a line of its own
 */
export function createProxy(options: ProxyOptions): PixProxy {
  const tools = makeTools(options, readOptions(options));
  const { settings, store } = tools;
  const status = makeStatus(tools);
  const { resolveOutcome, ...checkout } = makeOperations(tools, status);
  const work = createWork({ ...tools, ...status, addLinks: tools.qrImages.addLinks });
  status.news.subscribe(work.wake);
  const hasWork = needsWork(settings);
  const startWork = () => {
    void requireOwn();
    if (settings.backgroundJobs && hasWork) work.start();
  };
  const { longPolls } = status;
  const toProxyError = createToProxyError(settings.log, settings.now);
  const handler = createHandler({
    settings,
    checkout,
    servePaymentPage: createPaymentPage(settings),
    serveQrImage: tools.qrImages.serve,
    receivePostback: createPostbacks({ ...tools, ...status, runOrder: work.runOrder }),
    isReady: createReadiness(store, settings),
    toProxyError,
    startWork,
  });
  const calls = createInFlight();
  let owned: Promise<OtherShopError | null> | null = null;

  const proxy: PixProxy = {
    fetch: handler.fetch,

    createInvoice: (input) =>
      serveMerchant(async () => {
        if (calls.isClosing()) throw toUnavailableError();
        const request = toCreateRequest(input);
        const clientAddress = toAddress(input.remoteAddress ?? '');
        return checkout.createInvoice({ request, fromBrowser: null, clientAddress });
      }),

    async createPaymentLink({ externalId, expiresInSeconds }) {
      if (!settings.paymentPage) throw new TypeError('createPaymentLink needs paymentPage');
      const life = expiresInSeconds === undefined ? {} : { expiresInSeconds };
      return toPaymentLink({ ...settings, externalId, ...life });
    },

    describeOrder: (externalId) =>
      serveMerchant(async () => describeOrder(await store.read(externalId), store.now())),

    forget: (externalId) => serveMerchant(() => forgetOrder(store, externalId)),

    resolveOutcome: (outcome) => serveMerchant(() => resolveOutcome(outcome)),

    tellAgain: ({ externalId }) => serveMerchant(() => work.tellAgain(externalId)),

    runDue: async () => (hasWork ? work.runDue() : { nextAt: null }),

    async close() {
      const closing = closeAll();
      // A function of the merchant's that closes the proxy must not wait for itself to end.
      const caller = findCallingMerchant();
      await (caller ? Promise.race([closing, work.waitForOthers(caller)]) : closing);
    },
  };
  let isAnnounced = false;
  const startListening = () => {
    if (!isAnnounced) settings.log(toStartEntry(settings.publicUrl));
    isAnnounced = true;
    startWork();
  };
  attachInternals(proxy, { handle: handler.handle, startListening, requireOwn });
  return proxy;

  /** Ends long polls, requests and calls, then the background work, then the writes that are still repeated. */
  async function closeAll(): Promise<void> {
    await Promise.all([longPolls.close(), handler.close(), calls.close()]);
    await work.close();
    await tools.persistent.close();
    // Open connections may have brought requests meanwhile.
    await handler.close();
  }

  /** Logs once if the store belongs to another shop, and stops the work then. Never rejects. @returns that error, or null */
  function requireOwn(): Promise<OtherShopError | null> {
    owned ??= store.requireOwn().then(() => null, noteNotOwn);
    return owned;
  }

  /** Logs that the store belongs to another shop, and stops the work. @returns null if the store only failed */
  async function noteNotOwn(thrown: unknown): Promise<OtherShopError | null> {
    if (!(thrown instanceof OtherShopError)) {
      // The store failed. Its callers get that error, and the next call checks again.
      owned = null;
      return null;
    }
    settings.log({ level: 'error', event: 'ledger_of_other_shop', ...thrown.told });
    await work.close();
    return thrown;
  }

  /** Runs an operation for the merchant's own server, which gets the same errors as a browser. */
  async function serveMerchant<T>(work: () => Promise<T>): Promise<T> {
    startWork();
    try {
      return await calls.track(work());
    } catch (thrown) {
      throw toProxyError(thrown);
    }
  }
}

type Tools = ReturnType<typeof makeTools>;

/** Makes the parts that every room gets. */
function makeTools(options: ProxyOptions, settings: Settings) {
  const { now, log } = settings;
  const client = createServiceClient({
    serviceUrl: settings.serviceUrl,
    accessToken: toMerchantCall(options.accessToken, settings),
    timeoutMs: settings.serviceTimeoutMs,
    fetch: settings.fetch,
    now,
  });
  const store = createShopStore(settings.ledger ?? createMemoryStore(now), {
    shop: settings,
    movedFrom: settings.movedFrom,
    metrics: settings.metrics,
    outage: settings.outage,
  });
  const rateLimit = createRateLimit(settings);
  const pace = createPace(now);
  const countRequest = createAddressLimit(settings);
  const showings = createShowings(store, now);
  const persistent = createPersistentWrites(settings.startTimer);
  return {
    settings,
    now,
    log,
    persistent,
    persist: persistent.persist,
    pace,
    service: createServiceCalls(client, rateLimit, settings, pace),
    store,
    countRequest,
    showings,
    qrImages: createQrImages({ settings, store, showings, countRequest }),
    sandbox: createSandboxMark(settings.allowSandbox, log),
    guards: createCardGuards(settings),
    postbackWatch: createPostbackWatch(settings),
    tokens: createLookUpTokens(settings, now),
    orderTokens: createOrderTokens(settings, now),
    references: createPostbackUrls(settings, now),
  };
}

/** Makes a token function a call of the merchant's code, so that a `close` in it does not wait for itself. */
function toMerchantCall(
  accessToken: AccessToken,
  { startTimer, serviceTimeoutMs }: Settings,
): AccessToken {
  if (typeof accessToken === 'string') return accessToken;
  return () => callMerchant(startTimer, serviceTimeoutMs, accessToken);
}

type Status = ReturnType<typeof makeStatus>;

/** Makes the look-ups. Each new result is recorded, and published to waiting pages. */
function makeStatus(tools: Tools) {
  const news = createNews(tools);
  const recordAnswer = createRecordAnswer({ ...tools, news });
  const lookUps = createLookUps({ ...tools, recordAnswer });
  const longPolls = createLongPolls({ ...tools, lookUp: lookUps.lookUp });
  lookUps.subscribe(longPolls.publish);
  const runAsk = createRunAsk(tools);
  const findNamed = createFindNamed({ ...tools, ...lookUps, runAsk });
  return { ...lookUps, runAsk, findNamed, longPolls, news };
}

/** Makes the operations of the contract, and `resolveOutcome`. */
function makeOperations(tools: Tools, status: Status) {
  const { settings, references } = tools;
  const parts = {
    ...tools,
    ...status,
    toPostbackUrl: references.toUrl,
    refuseReused: createRefuseReused(settings, tools.store),
    lookUpFirst: createLookUpFirst(status.lookUp, tools.now),
  };
  // This limit is separate, so that a page whose card met the other limit can ask for its outcome at once.
  const countRequest = createAddressLimit(settings);
  return {
    ...createCreateInvoice({
      ...parts,
      payByPix: createPayByPix(parts),
      payByCard: createPayByCard(parts),
    }),
    summarizeOrder: createSummarizeOrder(parts),
    recover: createRecoverInvoice({ ...parts, countRequest }),
    lookUp: createLookUpInvoice({ ...parts, waitForChange: status.longPolls.waitForChange }),
    resolveOutcome: createResolveOutcome(parts),
  };
}

/**
 * Whether background work is needed. Without a ledger and without a hook the proxy starts no timer. Warns of hooks without a
 * ledger, and of a ledger without `onPaid`.
 */
function needsWork({ hooks, ledger, backgroundJobs, log }: Settings): boolean {
  const hasHooks = Object.keys(hooks).length > 0;
  if (hasHooks && !ledger) log({ level: 'warn', event: 'ledger_missing' });
  if (ledger && backgroundJobs && !hooks.onPaid) log({ level: 'warn', event: 'on_paid_missing' });
  return hasHooks || ledger !== null;
}
