import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout } from './checkout.jsx';

const answer = await fetch(`/api${location.pathname}`);
const order = await answer.json();
createRoot(document.getElementById('app')).render(
  <StrictMode>
    <Checkout order={order} />
  </StrictMode>,
);
