/** How the element gets the card form: from a tag of the page, else from its file; and what a file that did not come does. */

import { expect } from '@open-wc/testing';
import { cardFormKey } from '../../../src/checkout/card/card-file-contract.js';
import type { CardFile, CreateCardForm } from '../../../src/checkout/card/card-file-contract.js';
import { fetchCardFile } from '../../../src/checkout/card/card-file.js';
import { loadCardForm } from '../../../src/checkout/card/card-loader.js';

const global = globalThis as { [cardFormKey]?: CreateCardForm | undefined };
const made: CreateCardForm = () => {
  throw new Error('not called here');
};

/** What loading fails with; `null` if it does not. */
const failureOf = (loading: Promise<unknown>) =>
  loading.then(
    () => null,
    (reason: unknown) => reason,
  );

describe('loading the card form', () => {
  beforeEach(() => {
    global[cardFormKey] = undefined;
  });

  it('takes what a tag of the page brought, and else fetches the file', async () => {
    global[cardFormKey] = made;
    expect(await loadCardForm(() => Promise.reject(new Error('fetched')))).to.equal(made);
    global[cardFormKey] = undefined;
    const { createCardForm } = await import('../../../src/checkout/card/card-file-entry.js');
    global[cardFormKey] = undefined;
    expect(await loadCardForm((failures) => fetchCardFile(failures, null))).to.equal(
      createCardForm,
    );
  });

  it('rejects when the file does not come, and asks anew each time, saying how often it failed', async () => {
    const asked: number[] = [];
    const broken = (failures: number) => {
      asked.push(failures);
      return Promise.reject(new Error('no network'));
    };
    for (let tries = 0; tries < 2; tries++) {
      expect(await failureOf(loadCardForm(broken))).to.be.an('error');
    }
    const loaded = await loadCardForm((failures) => {
      asked.push(failures);
      return Promise.resolve({ createCardForm: made, cardFormKey });
    });
    expect(loaded).to.equal(made);
    expect(asked).to.deep.equal([0, 1, 2]);
  });

  it('runs no file without the hash of the tag that the page has for it', async () => {
    const src = '/src/checkout/card/card-file-entry.ts?pix-checkout-card';
    const integrity = `sha384-${'A'.repeat(64)}`;
    const tag = Object.assign(document.createElement('script'), {
      type: 'module',
      integrity,
      src,
    });
    document.head.append(tag);
    let fetched = 0;
    for (let tries = 0; tries < 2; tries++) {
      const load = () => Promise.reject(new Error(`${(fetched += 1)}`));
      expect(await failureOf(loadCardForm(load))).not.to.equal(null);
    }
    for (const script of document.querySelectorAll('script[integrity]')) script.remove();
    expect([fetched, global[cardFormKey]]).to.deep.equal([0, undefined]);
    // It is the file, and runs where no hash forbids it; a browser keeps what failed under its address.
    await import(`${src}=without-hash`);
    expect(global[cardFormKey]).to.be.a('function');
  });

  it('rejects where the file came with nothing in it', async () => {
    const empty = {} as CardFile;
    expect(await failureOf(loadCardForm(() => Promise.resolve(empty)))).to.be.an('error');
  });

  it('rejects a file of another version, as a cache may keep one', async () => {
    const older = { createCardForm: made, cardFormKey: Symbol.for('pix-checkout/card@1') };
    for (const file of [older, { createCardForm: made } as CardFile]) {
      expect(await failureOf(loadCardForm(() => Promise.resolve(file)))).to.be.an('error');
    }
  });
});
