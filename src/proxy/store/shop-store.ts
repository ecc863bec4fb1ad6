/**
 * Wraps the store that keeps the orders: it makes sure that they belong to this shop, and measures each call. With the orders of
 * another shop the proxy would hand out that shop's codes and take its payments.
 */

import { loopbackHost } from '../../service/secure-url.js';
import { LedgerError, type OrderStore, type Owner } from './order-store.js';

/** The addresses that the shop had before it moved; null for an address that stayed the same. */
export type MovedFrom = Readonly<Record<keyof Owner, string | null>>;

/**
 * Decides which shop the store belongs to: this one, if the store is new, knows it or is told that it moved; or still
 * another.
 * @param known null if no shop has used the store yet
 */
export function toOwner(known: Owner | null, shop: Owner, movedFrom: MovedFrom): Owner {
  if (known === null) return shop;
  const isSame = (name: keyof Owner) => known[name] === shop[name];
  const mayBe = (name: keyof Owner) => isSame(name) || known[name] === movedFrom[name];
  if (isSame('serviceUrl') && isSame('publicUrl')) return known;
  return mayBe('serviceUrl') && mayBe('publicUrl') ? shop : known;
}

/** The store keeps the orders of another shop, so the proxy uses nothing of it. */
export class OtherShopError extends LedgerError {
  // This field is private, because the message says the same, and Node prints the properties of an error.
  readonly #told;

  constructor(owner: Owner, shop: Owner) {
    const [expected, got] = [toText(owner), toText(shop)];
    const names = (['serviceUrl', 'publicUrl'] as const).filter(
      (name) => owner[name] !== shop[name],
    );
    const from = names.map((name) => `${name}: '${owner[name]}'`).join(', ');
    const hint = `Begin with a new file or database, or, if this shop has moved, set movedFrom: { ${from} }, of serve PIX_MOVED_FROM_…`;
    super(
      'OTHER_SHOP',
      `it keeps the orders of another shop (${expected}), not of this one (${got}). ${hint}`,
    );
    this.#told = { got, expected, hint };
  }

  /** The fields of the log entry. */
  get told() {
    return this.#told;
  }
}

/** The store as the proxy uses it. The first call binds it to this shop; every call fails if it is bound to another one. */
export interface ShopStore extends Omit<OrderStore, 'claim'> {
  /**
   * Checks that the store belongs to this shop.
   * @throws OtherShopError, now and at each later call; the store's error if it cannot be reached
   */
  readonly requireOwn: () => Promise<void>;
}

/** The parts of the wrapper. None of their functions may throw. */
interface ShopStoreTerms {
  readonly shop: Owner;
  readonly movedFrom: MovedFrom;
  /** Gets how long each call took, in seconds; null without the option `metrics`. */
  readonly metrics: {
    observe(
      name: 'pix_ledger_seconds',
      seconds: number,
      labels: { readonly operation: string; readonly outcome: 'ok' | 'failed' },
    ): void;
  } | null;
  readonly outage: Outage;
}

/**
 * An outage of the store, as the log knows it. The log entry `ledger_failed` begins it, because a call that only hangs never
 * fails here.
 */
export interface Outage {
  readonly isOn: boolean;
  /** Gets each call that failed. */
  readonly noteFailure: (operation: string, thrown: unknown) => void;
  /** Gets each call that succeeded while the outage is on. */
  readonly noteSuccess: (operation: string) => void;
}

/** Wraps a store, so that each call first makes sure that the store belongs to this shop, and is measured. */
export function createShopStore(store: OrderStore, terms: ShopStoreTerms): ShopStore {
  const shop = dropLocalPorts(terms.shop);
  const movedFrom = dropLocalPorts(terms.movedFrom);
  let claimed: Promise<void> | null = null;
  let isOurs = false;

  return {
    isShared: store.isShared,
    throttlesLookUps: store.throttlesLookUps,
    now: store.now,
    requireOwn,
    read: (externalId) => callOwn('read', () => store.read(externalId)),
    change: (externalId, step, changeTerms) =>
      callOwn('change', () => store.change(externalId, step, changeTerms)),
    search: (search) => callOwn('search', () => store.search(search)),
    count: (search) => callOwn('count', () => store.count(search)),
    share: (name, everyMs, make) => callOwn('share', () => store.share(name, everyMs, make)),
    passThrottle: (name, pauseMs) =>
      callOwn('passThrottle', () => store.passThrottle(name, pauseMs)),
    prune: () => callOwn('prune', () => store.prune()),
    close: () => callMeasured('close', () => store.close()),
  };

  /** Runs a call once the store is known to belong to this shop. */
  async function callOwn<T>(operation: string, run: () => Promise<T>): Promise<T> {
    if (!isOurs) await requireOwn();
    // The call is awaited here, so that the stack of a failure names the caller.
    return await callMeasured(operation, run);
  }

  /** Runs a call, measures how long it took, and tells the outage how it ended. */
  async function callMeasured<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const startedAtMs = store.now();
    // The clock may be set back during the call, so the duration is at least 0.
    const measure = (outcome: 'ok' | 'failed') =>
      terms.metrics?.observe('pix_ledger_seconds', Math.max(0, store.now() - startedAtMs) / 1_000, {
        operation,
        outcome,
      });
    try {
      const answer = await run();
      measure('ok');
      if (terms.outage.isOn) terms.outage.noteSuccess(operation);
      return answer;
    } catch (thrown) {
      measure('failed');
      terms.outage.noteFailure(operation, thrown);
      throw thrown;
    }
  }

  function requireOwn(): Promise<void> {
    claimed ??= claimForShop();
    return claimed;
  }

  /** Claims the store for this shop. @throws OtherShopError if it belongs to another one */
  async function claimForShop(): Promise<void> {
    const owner = await callMeasured('claim', () =>
      store.claim((known) => toOwner(known, shop, movedFrom)),
    ).catch(retryClaim);
    isOurs = owner.serviceUrl === shop.serviceUrl && owner.publicUrl === shop.publicUrl;
    if (!isOurs) throw new OtherShopError(owner, shop);
  }

  /** Lets the next call claim the store again, because it did not answer. */
  function retryClaim(thrown: unknown): never {
    claimed = null;
    throw thrown;
  }
}

/** Drops ports of this machine, because a program may listen on another local port after each start. */
function dropLocalPorts<A extends string | null>(all: Readonly<Record<keyof Owner, A>>) {
  const { serviceUrl, publicUrl } = all;
  return { serviceUrl: dropLocalPort(serviceUrl), publicUrl: dropLocalPort(publicUrl) };
}

function dropLocalPort<A extends string | null>(address: A): A {
  const url = address === null ? null : new URL(address);
  if (!url || !loopbackHost.test(url.hostname)) return address;
  url.port = '';
  return url.href.replace(/\/+$/, '') as A;
}

/** Writes both addresses as a text, for a person who compares two shops. */
function toText({ serviceUrl, publicUrl }: Owner): string {
  return `serviceUrl ${serviceUrl}, publicUrl ${publicUrl}`;
}
