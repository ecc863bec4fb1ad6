/** What a screen reader is told, screen by screen: each piece of news once, and nothing where there is none. */

import { expect } from '@open-wc/testing';
import { setHidden, setOnline, stubClipboard } from '../../support/checkout/browser-stubs.js';
import { changed, problem } from '../../support/checkout/fake-proxy.js';
import { openReady, plain } from '../../support/checkout/page.js';
import type { Words } from '../../support/checkout/page.js';

type Checkout = Awaited<ReturnType<typeof openReady>>;

/** The payer's steps, and what a screen reader says after each, in order. */
type Step = readonly [
  name: string,
  act: (checkout: Checkout) => unknown,
  ...said: readonly string[],
];

/** Hears what the live region says. */
function listen({ get }: Checkout): string[] {
  const region = get('[role="status"]');
  const said: string[] = [];
  new MutationObserver(() => said.push(plain(region.textContent))).observe(region, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  return said;
}

const making = 'Gerando código Pix…';
const ready =
  'Código Pix de R$ 129,90 pronto. Aguardando seu pagamento. Esta página se atualiza sozinha.';
const notYet = 'Ainda não recebemos. Se já pagou, não pague de novo.';
const paid = 'Pagamento confirmado. Recebemos R$ 129,90.';
const noLine = 'Sem internet. Quando ela voltar, continuamos daqui.';
const copied = 'Código copiado. Agora abra o app do seu banco.';
const slow = 'Está demorando mais que o normal. Continuamos tentando.';
const closed = 'Este pedido não pode mais ser pago. Fale com a loja.';
const tooMany =
  'Foram muitas tentativas. Espere um pouco e tente de novo. Nada foi cobrado nesta tentativa.';
const left = (time: string) => `Menos de ${time} para pagar.`;

const then = (change: (checkout: Checkout) => unknown, ms: number): Step[1] => {
  return (checkout) => {
    change(checkout);
    return checkout.advance(ms);
  };
};

const create: Step = ['the code is made', then(({ submit }) => void submit(), 500), ready];

const ways: Readonly<Record<string, readonly [words: Words, ...steps: readonly Step[]]>> = {
  'paid from the bank app': [
    {},
    create,
    ['a minute passes', ({ advance }) => advance(60_000)],
    ['it is copied', ({ copyCode }) => copyCode(), copied],
    ['the payer leaves', then(() => setHidden(true), 10_000)],
    ['and comes back', then(() => setHidden(false), 2_000), 'Conferindo…', notYet],
    ['looks again', then(() => setHidden(true), 10_000)],
    ['it is paid', then(({ proxy }) => proxy.setStatus('paid'), 10_000), paid],
  ],
  'a bad line': [
    {},
    create,
    ['look-ups fail', then(({ proxy }) => proxy.replyAlways('look-up', 'lost'), 60_000), slow],
    ['it is well again', then(({ proxy }) => proxy.replyAlways('look-up', null), 60_000), notYet],
    ['offline', then(() => setOnline(false), 0), noLine],
    // Some pages are told that there is no line where there is one: the look-up is made.
    ['the payer asks all the same', ({ press }) => press('Já paguei'), noLine, 'Conferindo…'],
    ['online', then(() => setOnline(true), 2_000), notYet],
  ],
  'a deadline': [
    { attributes: { 'expires-in': '660' } },
    create,
    ['ten minutes are left', ({ advance }) => advance(61_000), left('10 minutos')],
    ['five', ({ advance }) => advance(300_000), left('5 minutos')],
    [
      'it is over',
      ({ advance }) => advance(600_000),
      left('2 minutos'),
      left('1 minuto'),
      'O código Pix expirou. Se já pagou, não pague de novo: continuamos conferindo.',
    ],
    ['a new one', then(({ press }) => void press('Gerar novo código Pix'), 500), ready],
  ],
  'a slow proxy': [
    ({ proxy }) => void (proxy.delayMs = 2_000),
    ['the code is made', then(({ submit }) => void submit(), 2_500), making, ready],
  ],
  'paid before anybody could hear of the code': [
    ({ proxy }) => proxy.reply('look-up', changed({ status: 'paid' })),
    ['the button is pressed', then(({ submit }) => void submit(), 5_000), paid],
  ],
  'a request that is turned away': [
    ({ proxy }) => proxy.reply('create', problem('too_many_requests')),
    ['the button is pressed', ({ submit }) => submit(), tooMany],
    ['and again', then(({ submit }) => void submit(), 500), ready],
  ],
  'a closed order': [
    ({ proxy }) => proxy.reply('create', problem('order_closed')),
    ['the button is pressed', ({ submit }) => submit(), closed],
  ],
};

for (const [name, [words, ...steps]] of Object.entries(ways)) {
  it(`<pix-checkout>: what a screen reader is told ${name}`, async () => {
    stubClipboard('takes');
    const checkout = await openReady(words);
    const said = listen(checkout);
    const told: (readonly string[])[] = [];
    for (const [step, act] of steps) {
      await act(checkout);
      await checkout.settle();
      told.push([step, ...said.splice(0)]);
    }
    expect(told).to.deep.equal(
      steps.map((step) => step.filter((part) => typeof part === 'string')),
    );
  });
}
