/** Puts a model on a page of a given width, and reads what a payer would find there. For the tests of the views. */

import { fixture, html } from '@open-wc/testing';
import type { Model } from '../../../src/checkout/views/model.js';
import '../../../demo/gallery/pix-gallery.js';
import type { PixGallery } from '../../../demo/gallery/pix-gallery.js';

/** Renders a model, by default on a screen as narrow as they come. */
export async function show(model: Model, widthPx = 320) {
  const frame = await fixture<HTMLElement>(html`<div></div>`);
  frame.style.inlineSize = `${widthPx}px`;
  const element = document.createElement('pix-gallery') as PixGallery;
  element.model = model;
  frame.append(element);
  await element.updateComplete;
  const root = element.shadowRoot!;
  return {
    element,
    root,
    /** Renders another model in the same place. */
    change: async (next: Model) => {
      element.model = next;
      await element.updateComplete;
    },
    /** The node of a part, which has to be there. */
    part: (name: string): HTMLElement => {
      const found = root.querySelector<HTMLElement>(`[part~="${name}"]`);
      if (!found) throw new Error(`No part is called ${name}`);
      return found;
    },
    /** All text of the screen, white space folded; without the live region and the code. */
    text: () => {
      const section = root.querySelector('section')!.cloneNode(true) as HTMLElement;
      for (const one of section.querySelectorAll('[role=status], textarea')) one.remove();
      return fold(section.textContent);
    },
    button: (label: string) => {
      const buttons = [...root.querySelectorAll('button')];
      const found = buttons.find((one) => fold(one.textContent) === label);
      if (!found) throw new Error(`No button says ${label}`);
      return found;
    },
  };
}

/** White space folded, the hard space of amounts too. */
export function fold(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
