import { createApp } from 'vue';
import Checkout from './Checkout.vue';

const answer = await fetch(`/api${location.pathname}`);
const order = await answer.json();
createApp(Checkout, { order }).mount('#app');
