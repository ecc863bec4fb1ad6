/** Loads the card form when it is first shown: from the page's script tag, or by fetching its file. */

import { html, nothing } from 'lit';
import type { Environment } from '../browser/environment.js';
import { formatMoney } from '../locales/choose-messages.js';
import { cardFormKey } from './card-file-contract.js';
import type { CardFile, CardForm, CreateCardForm } from './card-file-contract.js';
import { cardFileUrl, fetchCardFile } from './card-file.js';

/** The parts of the element that the loader needs. */
interface CardHost {
  readonly environment: Environment;
  readonly order: { readonly endpoint: string | null };
  requestUpdate(): void;
  /** Called if the card form could not be loaded. @param why for the merchant's developer */
  cardMissing(why: string): void;
}

/** Holds the card form of one element, once it is loaded. */
export class CardLoader {
  /** `null` until it is loaded. */
  form: CardForm | null = null;
  /** Whether the card form could not be loaded. Pix still works. */
  failed = false;

  readonly #host: CardHost;
  #loading = false;

  constructor(host: CardHost) {
    this.#host = host;
  }

  /** Fetches the card form, once; a call after a failure tries again. */
  load(): void {
    if (this.form || this.#loading) return;
    this.#loading = true;
    this.failed = false;
    // Shows that the form is loading.
    this.#host.requestUpdate();
    loadCardForm((failed) => fetchCardFile(failed, this.#host.order.endpoint))
      .then(
        (createCardForm) => {
          this.form = createCardForm({
            // Only the environment's clock, timers and warnings are used.
            ...this.#host.environment,
            html,
            nothing,
            formatMoney,
            requestUpdate: () => this.#host.requestUpdate(),
          });
        },
        (error: unknown) => {
          this.failed = true;
          this.#host.cardMissing(`${findTag()?.src ?? cardFileUrl} ${String(error)}`);
        },
      )
      .finally(() => {
        this.#loading = false;
        this.#host.requestUpdate();
      });
  }
}

let failures = 0;

/**
 * Takes the form that a script tag of the page has loaded, or else loads the file itself.
 *
 * @returns a promise that rejects if the file cannot be loaded; a later call tries again
 */
export async function loadCardForm(
  fetchFile: (failures: number) => Promise<CardFile>,
): Promise<CreateCardForm> {
  const tag = findTag();
  if (tag && !findRegistered()) await waitUntilTried(tag);
  const known = findRegistered();
  if (known) return known;
  try {
    const file = tag ? await runScriptAgain(tag) : await fetchFile(failures);
    const createCardForm = findRegistered();
    if (createCardForm) return createCardForm;
    // A content blocker may answer with an empty file, a cache with a file of another version.
    if (file?.cardFormKey !== cardFormKey) throw new Error('is empty, or of another version');
    return file.createCardForm;
  } catch (error) {
    failures++;
    throw error;
  }
}

function findRegistered(): CreateCardForm | undefined {
  return (globalThis as { [cardFormKey]?: CreateCardForm })[cardFormKey];
}

/** Finds the page's own tag for the file, which has an integrity hash. */
function findTag(): HTMLScriptElement | null {
  return document.querySelector('script[integrity][src*="pix-checkout-card"]');
}

/** Resolves when the tag's script has run or failed, or when the page is loaded, which waits for the tag. */
function waitUntilTried(tag: HTMLScriptElement): Promise<unknown> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve(null);
    for (const name of ['load', 'error']) tag.addEventListener(name, resolve);
    window.addEventListener('load', resolve);
  });
}

/**
 * Runs the file of a tag once more, with the tag's hash, because `import()` cannot have one. A page that enforces Trusted
 * Types allows no new script, so this rejects there, and the tag has its next chance after a reload.
 */
function runScriptAgain({
  type,
  integrity,
  crossOrigin,
  nonce,
  src,
}: HTMLScriptElement): Promise<void> {
  const url = new URL(src);
  // A browser may remember a failed fetch: see card-file.script-tag.ts.
  url.searchParams.set('again', `${failures + 1}`);
  const script = document.createElement('script');
  return new Promise((resolve, onerror) => {
    const onload = () => resolve();
    Object.assign(script, { type, integrity, crossOrigin, nonce, onload, onerror, src: url.href });
    document.head.append(script);
  });
}
