/**
 * Package entry `pix-checkout/react`: the element as a component of React 18 and 19, with typed properties and `onPixPaid`.
 *
 * The build puts "use client" at the top, so that server components may show it.
 *
 * Values that can be attributes are written as attributes, so that a server can render them. All other values, and the
 * handlers, are set before the element is defined, so that it begins with all of them. @lit/react is bundled, because as a
 * dependency it would bring React's types to every shop.
 */

import { createComponent } from '@lit/react';
import * as React from 'react';
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from 'react';
import { PixCheckout as PixCheckoutElement } from './element.js';

// Any version of React may be installed beside this package. Only this file needs one, and older versions lack functions that
// it uses.
if (Number.parseInt(React.version, 10) < 18) {
  throw new Error(
    `pix-checkout/react needs react, 18 or newer, not ${React.version}: npm install react@18 react-dom@18`,
  );
}

type PixEvent = keyof GlobalEventHandlersEventMap & `pix-${string}`;
type HandlerOf<Name extends PixEvent> = Name extends `pix-${infer Word}`
  ? `onPix${Capitalize<Word>}`
  : never;
type Properties = Pick<PixCheckoutElement, keyof typeof PixCheckoutElement.properties>;

/**
 * Properties of the element by their names, handlers of its events (`onPixPaid`), and the attributes of every HTML element.
 */
export type PixCheckoutProps = {
  [Name in keyof Properties]?: Properties[Name] | undefined;
} & {
  [Name in PixEvent as HandlerOf<Name>]?:
    ((event: GlobalEventHandlersEventMap[Name]) => void) | undefined;
} & Omit<HTMLAttributes<PixCheckoutElement>, keyof Properties> &
  RefAttributes<PixCheckoutElement>;

/** The compiler checks that these are exactly the events that the element declares. */
const events: { readonly [Name in PixEvent as HandlerOf<Name>]: Name } = {
  onPixReady: 'pix-ready',
  onPixSubmit: 'pix-submit',
  onPixCreated: 'pix-created',
  onPixStatus: 'pix-status',
  onPixCopy: 'pix-copy',
  onPixPaid: 'pix-paid',
  onPixExpired: 'pix-expired',
  onPixError: 'pix-error',
};

const declared: Record<string, { attribute?: string | boolean; converter?: unknown }> =
  PixCheckoutElement.properties;

/** Properties whose values are not texts: @lit/react sets the properties of a class, and passes all others on to React. */
const propertiesOnly: object = Object.fromEntries(
  Object.entries(declared).filter(
    ([name, { attribute }]) => attribute === false || name === 'invoice',
  ),
);

// Effects never run on a server, and React 18 warns of `useLayoutEffect` there.
const useLayoutEffect = typeof document === 'undefined' ? React.useEffect : React.useLayoutEffect;

const Host = createComponent({
  react: { ...React, useLayoutEffect },
  tagName: 'pix-checkout',
  elementClass: { prototype: propertiesOnly } as typeof PixCheckoutElement,
  events,
});

/** `<pix-checkout>` as a component. It registers the tag by itself when it is first shown. */
export const PixCheckout: ForwardRefExoticComponent<PixCheckoutProps> = React.forwardRef(
  (props: PixCheckoutProps, ref) => {
    // Effects of children run first, so the properties are set by now.
    useLayoutEffect(() => {
      if (customElements.get('pix-checkout')) return;
      customElements.define('pix-checkout', PixCheckoutElement);
    }, []);
    return React.createElement(Host, { ...toAttributes(props), ref });
  },
);
PixCheckout.displayName = 'PixCheckout';

/**
 * Writes properties that the element reads from attributes under the attributes' names, because React 18 would write "false"
 * for a boolean.
 */
function toAttributes(props: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(props).map(([name, value]: [string, unknown]) => {
      const { attribute = name } = declared[name] ?? {};
      const text = typeof value === 'boolean' && name in declared ? (value ? '' : null) : value;
      return attribute === false ? [name, value] : [attribute, text];
    }),
  );
}
