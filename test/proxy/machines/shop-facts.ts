/** What all machines of the tests' shop agree on. */

export { accessToken, secrets, shopOrigin } from '../../support/proxy/shop.js';

/** One address for all of them, as behind a load balancer. No one listens there: tests choose the machine. */
export const publicUrl = 'http://127.0.0.1:1/pay';

/** Price of every order, integer cents. */
export const totalCents = 12_345;
