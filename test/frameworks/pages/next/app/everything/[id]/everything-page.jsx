'use client';

import { StrictMode, useEffect, useState } from 'react';
import { useRouter } from 'next/navigation';
import { PixCheckout } from 'pix-checkout/react';
import { eventNames, everything, tell } from '../../../everything.js';

const handlers = Object.fromEntries(
  eventNames.map((name) => [`onPix${name[0].toUpperCase()}${name.slice(1)}`, tell]),
);

export function Everything({ order: { externalId, orderToken } }) {
  const [changes, change] = useState({});
  const [isShown, show] = useState(true);
  const { refresh } = useRouter();
  useEffect(() => {
    Object.assign(globalThis, { shop: { change, show }, refresh: async () => refresh() });
  }, [refresh]);
  const props = { endpoint: '/pix', externalId, orderToken, ...everything, ...changes };
  return (
    <StrictMode>{isShown && <PixCheckout {...props} {...handlers} className="box" />}</StrictMode>
  );
}
