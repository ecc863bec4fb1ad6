/**
 * The store that the proxy uses, around the one that keeps the orders: it belongs to one shop at one service, and tells how each
 * call ends. With the orders of another shop the proxy would hand out that shop's codes and take its payments.
 */

import { loopbackHost } from '../../service/secure-url.js';
import { LedgerError } from './order-store.js';
import type { OrderStore, Owner } from './order-store.js';

/** Addresses that the shop had when it used the store last; null: the same. */
export type MovedFrom = Readonly<Record<keyof Owner, string | null>>;

/** Whose the store is from now on: this shop's, or still another one's. @param known null: no shop has used it yet */
export function toOwner(known: Owner | null, shop: Owner, movedFrom: MovedFrom): Owner {
  if (known === null) return shop;
  const isSame = (name: keyof Owner) => known[name] === shop[name];
  const mayBe = (name: keyof Owner) => isSame(name) || known[name] === movedFrom[name];
  if (isSame('serviceUrl') && isSame('publicUrl')) return known;
  return mayBe('serviceUrl') && mayBe('publicUrl') ? shop : known;
}

/** The store keeps the orders of another shop: nothing of it is used. It stays so. */
export class OtherShopError extends LedgerError {
  // Private: what Node prints of the error says it once.
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

  /** For the log. */
  get told() {
    return this.#told;
  }
}

/** The store as the proxy uses it. The first call binds it to this shop; every call fails if it is bound to another one. */
export interface ShopStore extends OrderStore {
  /** @throws OtherShopError, now and at each later call; what the store throws if it cannot be reached */
  readonly requireOwn: () => Promise<void>;
}

/** How one call of the store ended. */
export interface StoreCall {
  /** The name of the method. */
  readonly operation: string;
  /** How long it took, milliseconds. */
  readonly tookMs: number;
  /** What it threw; null: it succeeded. */
  readonly thrown: unknown;
}

/** @param noteCall is told of each call of `store`: for the log and the operator's numbers. Must not throw */
export function createShopStore(
  store: OrderStore,
  terms: {
    readonly shop: Owner;
    readonly movedFrom: MovedFrom;
    readonly noteCall: (call: StoreCall) => void;
  },
): ShopStore {
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
    claim: (step) => callMeasured('claim', () => store.claim(step)),
    close: () => callMeasured('close', () => store.close()),
  };

  async function callOwn<T>(operation: string, run: () => Promise<T>): Promise<T> {
    if (!isOurs) await requireOwn();
    // Awaited, so that the stack of a failure names the caller.
    return await callMeasured(operation, run);
  }

  async function callMeasured<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const startedAtMs = store.now();
    // A clock may be set back.
    const note = (thrown: unknown) =>
      terms.noteCall({ operation, tookMs: Math.max(0, store.now() - startedAtMs), thrown });
    try {
      const answer = await run();
      note(null);
      return answer;
    } catch (thrown) {
      note(thrown);
      throw thrown;
    }
  }

  function requireOwn(): Promise<void> {
    claimed ??= claimForShop();
    return claimed;
  }

  async function claimForShop(): Promise<void> {
    const owner = await callMeasured('claim', () =>
      store.claim((known) => toOwner(known, shop, movedFrom)),
    ).catch(retryClaim);
    isOurs = owner.serviceUrl === shop.serviceUrl && owner.publicUrl === shop.publicUrl;
    if (!isOurs) throw new OtherShopError(owner, shop);
  }

  /** A store that did not answer is asked again at the next call. */
  function retryClaim(thrown: unknown): never {
    claimed = null;
    throw thrown;
  }
}

/** What runs on this machine takes any free port, another one at each start. */
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

/** The pair as it is told: a person compares the two. */
function toText({ serviceUrl, publicUrl }: Owner): string {
  return `serviceUrl ${serviceUrl}, publicUrl ${publicUrl}`;
}
