/** Whose orders a store keeps: those of one shop at one service. Another shop would hand out its codes and take its payments. */

import { loopbackHost } from '../../service/secure-url.js';
import { withEach } from '../store/each-operation.js';
import { LedgerError } from '../store/order-store.js';
import type { OrderStore, Owner } from '../store/order-store.js';

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
  readonly got: string;
  readonly expected: string;

  constructor(owner: Owner, shop: Owner) {
    const [expected, got] = [toText(owner), toText(shop)];
    const names = (['serviceUrl', 'publicUrl'] as const).filter(
      (name) => owner[name] !== shop[name],
    );
    const from = names.map((name) => `${name}: '${owner[name]}'`).join(', ');
    super(
      'OTHER_SHOP',
      `it keeps the orders of another shop (${expected}), not of this one (${got}). Give this shop a ledger of its own. ` +
        `If it is the same shop and has moved, say so once: movedFrom: { ${from} }, or for serve PIX_MOVED_FROM_…`,
    );
    this.got = got;
    this.expected = expected;
  }
}

/** A store that its first use claims for this shop, in one trip. Each use fails where it is another's. */
export interface OwnedStore extends OrderStore {
  /** @throws OtherShopError, also whenever it is used afterwards; what the store throws if it cannot be reached */
  readonly requireOwn: () => Promise<void>;
}

export function toOwned(store: OrderStore, given: Owner, from: MovedFrom): OwnedStore {
  const shop = toLasting(given);
  const movedFrom = toLasting(from);
  let claim: Promise<void> | null = null;
  let isOurs = false;

  return { ...withEach(store, use, ['claim', 'close']), requireOwn };

  async function use<T>(_operation: string, run: () => Promise<T>): Promise<T> {
    if (!isOurs) await requireOwn();
    return run();
  }

  function requireOwn(): Promise<void> {
    claim ??= tryClaim();
    return claim;
  }

  async function tryClaim(): Promise<void> {
    const owner = await store.claim((known) => toOwner(known, shop, movedFrom)).catch(forget);
    isOurs = owner.serviceUrl === shop.serviceUrl && owner.publicUrl === shop.publicUrl;
    if (!isOurs) throw new OtherShopError(owner, shop);
  }

  /** What could not be reached is asked again. */
  function forget(thrown: unknown): never {
    claim = null;
    throw thrown;
  }
}

/** What runs on this machine takes any free port, another one at each start. */
function toLasting<A extends string | null>(all: Readonly<Record<keyof Owner, A>>) {
  const { serviceUrl, publicUrl } = all;
  return { serviceUrl: withoutLocalPort(serviceUrl), publicUrl: withoutLocalPort(publicUrl) };
}

function withoutLocalPort<A extends string | null>(address: A): A {
  const url = address === null ? null : new URL(address);
  if (!url || !loopbackHost.test(url.hostname)) return address;
  url.port = '';
  return url.href.replace(/\/+$/, '') as A;
}

/** The pair as it is told: a person compares the two. */
function toText({ serviceUrl, publicUrl }: Owner): string {
  return `serviceUrl ${serviceUrl}, publicUrl ${publicUrl}`;
}
