/** What the test drives: the documented page, and one that sets everything and can change. */
import { StrictMode, useEffect, useState } from 'react';
import { PixCheckout } from 'pix-checkout/react';
import { Checkout } from './checkout.jsx';
import { eventNames, everything, tell } from './everything.js';

const handlers = Object.fromEntries(
  eventNames.map((name) => [`onPix${name[0].toUpperCase()}${name.slice(1)}`, tell]),
);

export function Page({ view, order }) {
  return (
    <StrictMode>
      {view === 'checkout' ? <Checkout order={order} /> : <Everything order={order} />}
    </StrictMode>
  );
}

function Everything({ order: { externalId, orderToken } }) {
  const [changes, change] = useState({});
  const [isShown, show] = useState(true);
  useEffect(() => {
    globalThis.shop = { change, show };
  });
  const props = { endpoint: '/pix', externalId, orderToken, ...everything, ...changes };
  return isShown && <PixCheckout {...props} {...handlers} className="box" />;
}
