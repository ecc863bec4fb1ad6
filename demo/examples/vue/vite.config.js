import vue from '@vitejs/plugin-vue';

const { PORT, SHOP_URL } = process.env;
const isCustomElement = (tag) => tag === 'pix-checkout';

/** A development server that passes /pix on to the proxy, and the question for an order to the shop. */
export default {
  plugins: [vue({ template: { compilerOptions: { isCustomElement } } })],
  server: { port: Number(PORT), strictPort: true, proxy: { '/pix': SHOP_URL, '/api': SHOP_URL } },
};
