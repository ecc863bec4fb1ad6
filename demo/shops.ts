/**
 * Four shops in three languages: their names, their goods and their words. The order and its prices are the same; how the
 * checkout looks in each stands in `themes/`.
 */

import type { Item, Line } from '../src/index.js';
import type { ShopOrder } from './shop-order.js';

/** The words of one shop in one language. */
export type ShopWords = ReturnType<typeof toShopWords>;

type Locale = 'pt-BR' | 'en' | 'es';

const common = {
  'pt-BR': {
    steps: ['Sacola', 'Entrega', 'Pagamento'],
    stepsLabel: 'Etapas da compra',
    title: 'Falta só o pagamento',
    paidTitle: 'Pedido confirmado',
    order: 'Seu pedido',
    number: 'nº',
    quantity: 'Quantidade',
    total: 'Total',
    withPix: 'Pagando com Pix',
    freight: 'Frete (3 a 5 dias úteis)',
    adjustment: 'Ajuste',
    help: 'Precisa de ajuda? Tenha o número do pedido à mão.',
    contact: 'Fale com a gente',
    notLoaded: 'O pagamento não carregou. Atualize a página ou fale com a gente.',
    small: 'Loja de demonstração: nada é enviado e nenhum dinheiro se move.',
  },
  en: {
    steps: ['Bag', 'Delivery', 'Payment'],
    stepsLabel: 'Steps of the purchase',
    title: 'Only the payment is left',
    paidTitle: 'Order confirmed',
    order: 'Your order',
    number: 'no.',
    quantity: 'Quantity',
    total: 'Total',
    withPix: 'Paying with Pix',
    freight: 'Shipping (3 to 5 working days)',
    adjustment: 'Adjustment',
    help: 'Need help? Have your order number at hand.',
    contact: 'Contact us',
    notLoaded: 'The payment did not load. Reload the page or contact us.',
    small: 'A demo shop: nothing is shipped and no money moves.',
  },
  es: {
    steps: ['Bolsa', 'Entrega', 'Pago'],
    stepsLabel: 'Pasos de la compra',
    title: 'Solo falta el pago',
    paidTitle: 'Pedido confirmado',
    order: 'Tu pedido',
    number: 'n.º',
    quantity: 'Cantidad',
    total: 'Total',
    withPix: 'Pagando con Pix',
    freight: 'Envío (3 a 5 días hábiles)',
    adjustment: 'Ajuste',
    help: '¿Necesitas ayuda? Ten a mano el número del pedido.',
    contact: 'Escríbenos',
    notLoaded: 'El pago no se cargó. Actualiza la página o escríbenos.',
    small: 'Tienda de demostración: no se envía nada y no se mueve dinero.',
  },
} as const;

/** What a shop promises, how it thanks, and its two goods with their descriptions. */
type Own = readonly [promise: string, thanks: string, ...goods: [string, string, string, string]];

const shops: Readonly<Record<string, { readonly name: string } & Readonly<Record<Locale, Own>>>> = {
  '': {
    name: 'Café da Serra',
    'pt-BR': [
      'Torramos seu café assim que o pagamento chegar.',
      'Obrigado! A torra é amanhã cedo, e o código de rastreio vai por e-mail.',
      ...(['Bourbon Amarelo', '250 g, moído para coador'] as const),
      ...(['Catuaí da Serra', '500 g, em grãos'] as const),
    ],
    en: [
      'We roast your coffee as soon as the payment arrives.',
      'Thank you! We roast tomorrow morning and send the tracking code by e-mail.',
      ...(['Yellow Bourbon', '250 g, ground for filter'] as const),
      ...(['Catuaí da Serra', '500 g, whole beans'] as const),
    ],
    es: [
      'Tostamos tu café en cuanto llegue el pago.',
      '¡Gracias! Tostamos mañana temprano y enviamos el código de seguimiento por correo.',
      ...(['Bourbon Amarillo', '250 g, molido para filtro'] as const),
      ...(['Catuaí da Serra', '500 g, en grano'] as const),
    ],
  },
  bank: {
    name: 'Banco Aurora',
    'pt-BR': [
      'Seu seguro começa a valer no mesmo dia.',
      'Obrigado! A apólice já está no seu app.',
      ...(['Seguro viagem', 'América do Sul, 10 dias'] as const),
      ...(['Assistência residencial', 'Plano anual'] as const),
    ],
    en: [
      'Your cover starts the same day.',
      'Thank you! The policy is in your app.',
      ...(['Travel insurance', 'South America, 10 days'] as const),
      ...(['Home assistance', 'Yearly plan'] as const),
    ],
    es: [
      'Tu seguro empieza el mismo día.',
      '¡Gracias! La póliza ya está en tu app.',
      ...(['Seguro de viaje', 'América del Sur, 10 días'] as const),
      ...(['Asistencia del hogar', 'Plan anual'] as const),
    ],
  },
  street: {
    name: 'RUÍDO',
    'pt-BR': [
      'Últimas peças do drop 07. Pagou, é seu.',
      'É seu. Postamos amanhã.',
      ...(['Camiseta Ruído', 'Preta, oversized, M'] as const),
      ...(['Boné Estática', 'Aba reta'] as const),
    ],
    en: [
      'Last pieces of drop 07. Pay and they are yours.',
      'Yours. We ship tomorrow.',
      ...(['Ruído tee', 'Black, oversized, M'] as const),
      ...(['Estática cap', 'Flat brim'] as const),
    ],
    es: [
      'Últimas piezas del drop 07. Paga y son tuyas.',
      'Son tuyas. Enviamos mañana.',
      ...(['Camiseta Ruído', 'Negra, oversized, M'] as const),
      ...(['Gorra Estática', 'Visera plana'] as const),
    ],
  },
  pharmacy: {
    name: 'Farmácia Bem-Viver',
    'pt-BR': [
      'Separamos tudo assim que o pagamento chegar.',
      'Obrigado! A entrega sai hoje, e a nota fiscal vai por e-mail.',
      ...(['Vitamina D 2.000 UI', '60 cápsulas'] as const),
      ...(['Protetor solar FPS 60', '200 ml, toque seco'] as const),
    ],
    en: [
      'We pack everything as soon as the payment arrives.',
      'Thank you! It leaves today, and the invoice comes by e-mail.',
      ...(['Vitamin D 2,000 IU', '60 capsules'] as const),
      ...(['Sunscreen SPF 60', '200 ml, dry touch'] as const),
    ],
    es: [
      'Preparamos todo en cuanto llegue el pago.',
      '¡Gracias! Sale hoy, y la factura va por correo.',
      ...(['Vitamina D 2.000 UI', '60 cápsulas'] as const),
      ...(['Protector solar FPS 60', '200 ml, toque seco'] as const),
    ],
  },
};

/** The words of a shop; of the café in Portuguese, where a name is not known. */
export function toShopWords({ shop, locale }: { readonly shop: string; readonly locale: string }) {
  const language: Locale = locale === 'en' || locale === 'es' ? locale : 'pt-BR';
  const { name, [language]: own } = shops[shop] ?? shops['']!;
  const [promise, thanks, ...goods] = own;
  return { ...common[language], language, name, promise, thanks, goods };
}

/** The order with the goods of another shop, in another language. Prices and quantities are the server's. */
export function withGoods(order: ShopOrder, { goods, freight, adjustment }: ShopWords): ShopOrder {
  const items: Item[] = order.items.map((item, index) => {
    const [name = item.name, description = ''] = goods.slice(index * 2);
    return { ...item, name, description };
  });
  const lines: Line[] = order.lines.map(({ label, cents }) => ({
    label: label.startsWith('Frete') ? freight : adjustment,
    cents,
  }));
  return { ...order, items, lines };
}
