import { createSSRApp, h } from 'vue';
import Checkout from './Checkout.vue';
import Everything from './Everything.vue';

export const createPage = ({ view, order }) =>
  createSSRApp(() => h(view === 'checkout' ? Checkout : Everything, { order }));
