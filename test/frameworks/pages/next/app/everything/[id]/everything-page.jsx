'use client';

import { StrictMode, useEffect, useState } from 'react';
import { PixCheckout } from 'pix-checkout/react';
import { eventNames, everything, tell } from '../../../everything.js';

const handlers = Object.fromEntries(
  eventNames.map((name) => [`onPix${name[0].toUpperCase()}${name.slice(1)}`, tell]),
);

export function Everything({ order: { externalId, orderToken } }) {
  const [changes, change] = useState({});
  const [isShown, show] = useState(true);
  useEffect(() => {
    globalThis.shop = { change, show };
  }, []);
  const props = { endpoint: '/pix', externalId, orderToken, ...everything, ...changes };
  return (
    <StrictMode>{isShown && <PixCheckout {...props} {...handlers} className="box" />}</StrictMode>
  );
}
