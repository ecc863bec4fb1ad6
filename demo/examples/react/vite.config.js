const { PORT, SHOP_URL } = process.env;

/** A development server that passes /pix on to the proxy, and the question for an order to the shop. */
export default {
  server: { port: Number(PORT), strictPort: true, proxy: { '/pix': SHOP_URL, '/api': SHOP_URL } },
};
