/** README.md, word for word, with Express and with Hono as npm installs them: both sell an order by Pix and by card. */
import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { honoShopCode, makeShopFolder, payInShop, shopCode } from '../support/front-door.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { folder, installRuntimes, whyLeftOut } from './install.js';

describe('the shop of the front door is paid', leftOutIf(whyLeftOut), () => {
  beforeAll(installRuntimes);

  const shops = {
    express: [shopCode, ['express']],
    hono: [honoShopCode, ['hono', '@hono/node-server']],
  } as const;
  for (const [name, [code, packages]] of Object.entries(shops)) {
    it(`with ${name}`, async (t) => {
      const places = packages.map((one) => [one, join(folder, 'node_modules', one)]);
      await payInShop(t, makeShopFolder(t, Object.fromEntries(places)), code);
    });
  }
});
