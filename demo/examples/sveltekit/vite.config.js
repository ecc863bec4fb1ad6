import { sveltekit } from '@sveltejs/kit/vite';

const { PORT, SHOP_URL } = process.env;

/** A development server that passes /pix on to the proxy: your web server may do it instead. */
export default {
  plugins: [sveltekit()],
  server: { port: Number(PORT), strictPort: true, proxy: { '/pix': SHOP_URL } },
};
