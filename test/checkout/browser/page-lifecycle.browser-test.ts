/** The page's life: the payer leaves for the bank app and comes back; the line is lost; the element is moved and taken away. */

import { expect } from '@open-wc/testing';
import {
  setHidden,
  setOnline,
  turnPage,
  watchPageListeners,
} from '../../support/checkout/browser-stubs.js';
import type { FakeProxy } from '../../support/checkout/fake-proxy.js';
import { openAwaiting, openCheckout } from '../../support/checkout/page.js';

const waits = (proxy: FakeProxy) => proxy.of('look-up').map(({ waitSeconds }) => waitSeconds);

const outcomes = (proxy: FakeProxy) => proxy.of('look-up').map(({ outcome }) => outcome);

const openHolding = (attributes: Record<string, string> = {}) =>
  openAwaiting(({ proxy }) => {
    proxy.holds = true;
    return { attributes };
  });

/** Two seconds away or more are a return. */
async function hideFor(ms: number, advance: (ms: number) => Promise<void>): Promise<void> {
  setHidden(true);
  await advance(ms);
  setHidden(false);
}

describe('<pix-checkout>: back on the page', () => {
  const returns: readonly [way: string, back: () => void][] = [
    ['visible again', () => setHidden(false)],
    ['pageshow from the back-forward cache', () => turnPage('pageshow')],
    ['online', () => setOnline(true)],
  ];
  for (const [way, back] of returns) {
    it(`${way}: what sleeps is aborted, one look-up at once without wait, then after 1, 2, 4, 8 s`, async () => {
      const { proxy, advance, settle, clock } = await openHolding();
      setHidden(true);
      await advance(2_000);
      back();
      await settle();
      const at = clock.now();
      expect(proxy.of('look-up')[0]?.outcome).to.equal('aborted');
      await advance(15_000);
      const after = proxy.of('look-up').slice(1);
      expect(after.map(({ atMs }) => (atMs - at) / 1_000)).to.deep.equal([0, 1, 3, 7, 15, 15]);
      expect(waits(proxy)).to.deep.equal([25, 0, 0, 0, 0, 0, 25]);
      expect(proxy.mostLookUps).to.equal(1);
    });
  }

  it('a glance of less than two seconds, or pageshow of a page never away, changes nothing', async () => {
    const { proxy, advance } = await openHolding();
    await hideFor(1_999, advance);
    turnPage('pageshow', false);
    await advance(0);
    expect(outcomes(proxy)).to.deep.equal(['open']);
    expect(proxy.open).to.have.length(1);
  });

  it('a hidden tab keeps asking', async () => {
    const { element, proxy, advance } = await openAwaiting();
    setHidden(true);
    await advance(30_000);
    expect(proxy.of('look-up').length).to.be.above(5);
    proxy.setStatus('paid');
    await advance(4_000);
    expect(element.phase).to.equal('paid');
  });

  it('pagehide aborts, nothing is asked until pageshow, and a payment made meanwhile is shown', async () => {
    const { element, proxy, advance } = await openHolding();
    turnPage('pagehide');
    await advance(120_000);
    expect(outcomes(proxy)).to.deep.equal(['aborted']);
    proxy.setStatus('paid');
    turnPage('pageshow');
    await advance(0);
    expect(proxy.of('look-up')).to.have.length(2);
    expect(element.phase).to.equal('paid');
  });
});

describe('<pix-checkout>: offline', () => {
  it('says so, and looks up at once when the line is back', async () => {
    const { proxy, advance, visibleText, announcedText, codeText } = await openHolding();
    setOnline(false);
    await advance(1_000);
    expect(visibleText()).to.include('Sem internet.');
    expect(announcedText()).to.include('Sem internet.');
    expect(codeText()).not.to.equal(null);
    setOnline(true);
    await advance(0);
    expect(proxy.of('look-up')).to.have.length(2);
    expect(visibleText()).not.to.include('Sem internet');
  });

  it('asks on where the browser is wrong about it, and an answer ends the notice', async () => {
    const { proxy, element, advance, visibleText } = await openHolding();
    setOnline(false);
    await advance(1_000);
    expect(visibleText()).to.include('Sem internet.');
    await advance(60_000);
    expect(visibleText()).not.to.include('Sem internet');
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
    setOnline(true);
  });
});

describe('<pix-checkout>: connect, disconnect, move', () => {
  it('leaves no timer, request or listener behind, in any phase', async () => {
    const listeners = watchPageListeners();
    const ours = () => listeners.filter(({ type }) => !type.startsWith('pix-')).length;
    const opened = await openHolding({ 'expires-in': '300' });
    const { element, proxy, timers, advance, connect, disconnect } = opened;
    const held = ours();
    expect(held).not.to.equal(0);
    const assertNothingLeft = async () => {
      await disconnect();
      expect([ours(), timers.size, proxy.open.length]).to.deep.equal([0, 0, 0]);
    };
    await assertNothingLeft();
    await connect();
    expect(ours()).to.equal(held);
    expect(proxy.of('look-up')).to.have.length(2);
    await advance(300_000);
    expect(element.phase).to.equal('expired');
    await assertNothingLeft();
  });

  it('asks once in a place how wide it is, for to ask at each rendering would lay the page out anew', async () => {
    const { element, connect, disconnect } = await openCheckout();
    let asked = 0;
    Object.defineProperty(element, 'offsetWidth', { get: () => (asked++, 400) });
    const renderOften = async () => {
      asked = 0;
      for (let turn = 0; turn < 10; turn++) {
        element.requestUpdate();
        await element.updateComplete;
      }
      return asked;
    };
    // The browser, too, may say how wide it is: then it is laid out.
    expect(await renderOften()).to.be.at.most(1);
    await disconnect();
    await connect();
    expect(await renderOften()).to.be.at.most(2);
  });

  it('asks for nothing while out of the page, whatever is called, and at once when it is back', async () => {
    const opened = await openHolding();
    const { element, proxy, advance, connect, disconnect, codeText, eventNames } = opened;
    const code = codeText();
    await disconnect();
    const heard = eventNames().length;
    element.refresh();
    proxy.setStatus('paid');
    await hideFor(60_000, advance);
    turnPage('pageshow');
    await advance(60_000);
    expect(proxy.requests).to.have.length(2);
    // The answer that was given up changes nothing.
    expect([element.phase, eventNames().length]).to.deep.equal(['awaiting', heard]);
    proxy.setStatus('pending');
    await connect();
    expect(codeText()).to.equal(code);
    expect(waits(proxy)).to.deep.equal([25, 0]);
    proxy.setStatus('paid');
    await advance(1_000);
    expect(element.phase).to.equal('paid');
  });

  for (const [what, isMoved] of [
    ['slept', false],
    ['was given up', true],
  ] as const) {
    it(`a creation that ${what} is made again with the same key`, async () => {
      const opened = await openCheckout(({ proxy }) => {
        proxy.reply('create', 'hangs');
        return { attributes: { 'payer-fields': '' } };
      });
      const { element, proxy, submit, advance, connect, disconnect } = opened;
      await submit();
      if (isMoved) {
        await disconnect();
        expect(proxy.open).to.have.length(0);
        await connect();
      } else {
        await hideFor(10_000, advance);
        await advance(0);
      }
      const [first, second] = proxy.of('create');
      expect(first?.outcome).to.equal('aborted');
      expect(second?.headers).to.deep.equal(first?.headers);
      expect(element.phase).to.equal('awaiting');
    });
  }

  it('moving in the page keeps code, typing and listeners', async () => {
    const listeners = watchPageListeners();
    const { element, type, field, settle, submit, codeText, proxy } = await openCheckout({
      attributes: { 'payer-fields': 'name' },
    });
    const held = listeners.length;
    const place = document.body.appendChild(document.createElement('main'));
    await type('name', 'Ana Souza');
    place.append(element);
    await settle();
    expect(field('name').value).to.equal('Ana Souza');
    await submit();
    const code = codeText();
    document.body.append(element);
    await settle();
    place.remove();
    expect(codeText()).to.equal(code);
    expect(listeners).to.have.length(held);
    expect(proxy.of('create')).to.have.length(1);
    expect(proxy.mostLookUps).to.equal(1);
  });
});
