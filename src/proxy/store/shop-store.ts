/**
 * Wraps the store that keeps the orders: it makes sure that they belong to this shop, and measures each call. With the orders of
 * another shop the proxy would hand out that shop's codes and take its payments.
 */

import { loopbackHost } from '../../service/secure-url.js';
import { LedgerError } from './order-store.js';
import type { OrderStore, Owner } from './order-store.js';

/** The addresses that the shop had before it moved; null for one that stayed the same. */
export type MovedFrom = Readonly<Record<keyof Owner, string | null>>;

/** Decides whom the store belongs to: this shop, or still another one. @param known null if no shop has used it yet */
export function toOwner(known: Owner | null, shop: Owner, movedFrom: MovedFrom): Owner {
  if (known === null) return shop;
  const isSame = (name: keyof Owner) => known[name] === shop[name];
  const mayBe = (name: keyof Owner) => isSame(name) || known[name] === movedFrom[name];
  if (isSame('serviceUrl') && isSame('publicUrl')) return known;
  return mayBe('serviceUrl') && mayBe('publicUrl') ? shop : known;
}

/** The store keeps the orders of another shop, so the proxy uses nothing of it. */
export class OtherShopError extends LedgerError {
  // Private, because the message says it, and Node prints the properties of an error.
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
export interface ShopStore extends OrderStore {
  /** @throws OtherShopError, now and at each later call; what the store throws if it cannot be reached */
  readonly requireOwn: () => Promise<void>;
}

export interface StoreCall {
  /** The name of the method. */
  readonly operation: string;
  /** How long it took, milliseconds. */
  readonly tookMs: number;
  /** What it threw; null if it succeeded. */
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
    // The clock may be set back during the call.
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

  /** The next call claims again if the store did not answer. */
  function retryClaim(thrown: unknown): never {
    claimed = null;
    throw thrown;
  }
}

/** Drops ports of this machine, because a program on it may listen on another port after each start. */
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

/** Both addresses as a text, for a person who compares two shops. */
function toText({ serviceUrl, publicUrl }: Owner): string {
  return `serviceUrl ${serviceUrl}, publicUrl ${publicUrl}`;
}
