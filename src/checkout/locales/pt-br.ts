/** Brazilian Portuguese, the payer's language and the source of the other two. This file has words only. */

import type { FieldFault, PayerField } from '../../domain/payer.js';
import type { ShownErrorCode } from '../machine/state.js';

const noAnswer = 'O serviço de pagamento não respondeu.';
const outdated = 'Esta página está desatualizada. Recarregue para continuar ou fale com a loja.';
const notHere = 'O pagamento não está disponível nesta página. Fale com a loja.';
const noCode = 'Não foi possível gerar um código Pix válido.';

/** Texts for those fields that need more words than others. */
export type OfSomeFields = Readonly<Partial<Record<PayerField, string>>>;

/** Texts with parameters are functions. Amounts and times are formatted already (choose-messages.ts). */
export const ptBr = {
  title: 'Pagar com Pix',
  cardTitle: 'Pagar com cartão',
  order: (reference: string) => `Pedido ${reference}`,
  /** Introduces the struck-through full price. */
  insteadOf: 'De',
  discount: (amount: string) => `${amount} de desconto no Pix`,
  summary: 'Resumo do pedido',
  /** The last lines of the summary, if they add up. */
  pixDiscount: 'Desconto no Pix',
  interest: 'Juros do parcelamento',
  total: 'Total',
  test: 'Ambiente de teste: não pague',

  optional: '(opcional)',
  letters: 'Meu CNPJ tem letras',
  choose: 'Escolha',
  generate: 'Gerar código Pix',
  newCode: 'Gerar novo código Pix',
  retry: 'Tentar de novo',
  reload: 'Recarregar a página',
  pay: (amount: string) => `Pagar ${amount}`,
  /** The button after a refused card; the amount may be empty. */
  payWithPix: (amount: string) => `Pagar ${amount}${amount && ' '}com Pix`,
  /** The two methods in the choice of method. */
  payByCard: 'Cartão de crédito',
  payByPix: 'Pix',
  /** Stands above the card's fields. */
  cardData: 'Dados do cartão',
  /** What Pix saves, beside the word "Pix", so it is as short as possible. */
  saved: (amount: string) => `economize ${amount}`,
  /** The button that opens the choice of method again. */
  change: 'Trocar',
  /** The most instalments without interest. */
  upTo: (count: number, each: string) => `até ${count}x de ${each} sem juros`,

  creating: 'Gerando código Pix…',
  charging: 'Processando…',
  /** Appears under the button while a card is charged. */
  keepOpen: 'Não feche esta página.',
  finding: 'Buscando seu pagamento…',
  loading: 'Abrindo o formulário do cartão…',
  formMissing: 'O formulário do cartão não abriu. Tente de novo.',
  ready: (amount: string) => `Código Pix de ${amount} pronto.`,
  copy: 'Copiar código Pix',
  /** The copy button's label once the code is on the clipboard. */
  copiedLabel: 'Código copiado',
  copied: 'Código copiado. Agora abra o app do seu banco.',
  copyFailed: 'Não deu para copiar. Toque e segure o código e escolha Copiar.',
  /** The same for a payer with a mouse: the code is selected, and the keys copy it. */
  copyWithKeys: (keys: string) =>
    `Não deu para copiar. O código está selecionado: pressione ${keys}.`,
  waiting: 'Aguardando seu pagamento. Esta página se atualiza sozinha.',
  checking: 'Conferindo…',
  notYet: 'Ainda não recebemos. Se já pagou, não pague de novo.',
  offline: 'Sem internet. Quando ela voltar, continuamos daqui.',
  /** Appears if the page is offline before its first request. */
  offlineForm: 'Sem internet. Quando ela voltar, é só continuar.',
  troubledLine: 'Está demorando mais que o normal. Continuamos tentando.',
  payUntil: (time: string) => `Pague até ${time}`,
  timeLeft: (clock: string) => `faltam ${clock}`,
  lessThan: (minutes: number) =>
    `Menos de ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} para pagar.`,

  howTo: 'Como pagar',
  steps: [
    'Copie o código Pix.',
    'Abra o app do seu banco.',
    'Escolha Pix Copia e Cola, confira nome e valor e pague. Depois volte aqui.',
  ] as readonly string[],
  /** How to pay with the QR, where that comes first. */
  scanSteps: [
    'Abra o app do banco no celular.',
    'Escolha Pix e depois Ler QR Code.',
    'Aponte para o código, confira nome e valor e pague.',
  ] as readonly string[],
  /** Introduces the name that the merchant gave. */
  receiver: 'Quem recebe',
  /** Introduces a name that only the code contains. */
  receiverMaybe: 'No app do banco, quem recebe pode aparecer como',
  code: 'Pix Copia e Cola',
  wholeCode: 'Ver completo',
  shortCode: 'Ver menos',
  qrTitle: 'Pagar com outro aparelho',
  qrHint: 'Aponte a câmera do app do banco para o QR Code.',
  /** Name of the QR for screen readers; the receiver may be empty. */
  qrName: (amount: string, receiver: string) =>
    `QR Code Pix de ${amount}${receiver && ` para ${receiver}`}`,
  alreadyPaid: 'Já paguei',
  /** Stands under that button on a phone, until it has an answer. */
  checkHint: 'Use este botão depois de pagar.',
  trouble: 'O código não funcionou?',
  troubleOffer:
    'Ainda não recebemos nada. Se o código não funciona, gere outro e pague só um deles.',

  /** The reference may be empty. */
  confirming: (reference: string) =>
    `Estamos confirmando seu pagamento. Não pague de novo.${reference && ` Pedido ${reference}.`}`,
  /** Says since when this page checks the payment: the time of day. */
  confirmingSince: (time: string) => `Verificando aqui desde ${time}.`,
  /** Says that the page may be closed. Say here how your shop tells the payer, and how long you take. */
  confirmingNote: 'Pode fechar a página: continuamos conferindo.',
  expired: 'O código Pix expirou. Se já pagou, não pague de novo: continuamos conferindo.',
  paid: (amount: string) => `Pagamento confirmado. Recebemos ${amount}.`,
  /** The order was paid, and the payment went back since. */
  returned: 'Pagamento devolvido.',
  /** Appears under the receipt of such a payment. */
  returnedNote: 'Fale com a loja para saber quando e como.',
  /** Introduces the order's amount, beside a payment that does not agree with it. */
  orderAmount: 'Valor do pedido',
  method: 'Pagamento',
  pix: 'Pix',
  card: 'Cartão de crédito',
  reference: 'Pedido',
  orderCode: 'Nº da transação',
  confirmedAt: 'Confirmado em',
  print: 'Imprimir',
  /** The receipt, on a phone. */
  share: 'Compartilhar',

  receiptNote: 'O comprovante está no app do seu banco.',

  fields: {
    name: 'Nome completo',
    cpf_cnpj: 'CPF ou CNPJ',
    email: 'E-mail',
    phone: 'Celular',
    address_zip: 'CEP',
    address_line: 'Endereço',
    address_number: 'Número',
    address_complement: 'Complemento',
    address_city: 'Cidade',
    address_state: 'Estado',
  } satisfies Record<PayerField, string>,
  /** Follows the label of a field, so it is in lower case. */
  hints: {
    cpf_cnpj: 'para a cobrança',
    phone: 'com DDD',
    address_number: 'ou S/N',
  } satisfies OfSomeFields as OfSomeFields,
  /** The fault of a field, with its label as parameter. */
  faults: {
    missing: (label: string) => `Preencha o campo ${label}.`,
    invalid: (label: string) => `Confira o campo ${label}.`,
    too_long: (_label: string) => 'Muito longo: abrevie.',
  } satisfies Record<FieldFault, unknown>,
  /** More exact than `faults.missing` and `faults.invalid`, for fields that need more words. */
  missing: {
    name: 'Digite seu nome completo.',
    cpf_cnpj: 'Digite seu CPF ou CNPJ.',
    email: 'Digite seu e-mail.',
  } satisfies OfSomeFields as OfSomeFields,
  invalid: {
    name: 'Use só letras no nome.',
    cpf_cnpj: 'Confira: há um número errado.',
    email: 'Confira. Ex.: nome@email.com',
    phone: 'Confira. Ex.: (11) 98765-4321',
    address_zip: 'Confira: são 8 dígitos.',
  } satisfies OfSomeFields as OfSomeFields,
  /** The switch for payers without a tax id, where the shop allows it. */
  noTaxId: 'Não tenho CPF',
  /** Says how many digits a tax id lacks. */
  missingDigits: (count: number) => (count === 1 ? 'Falta 1 número.' : `Faltam ${count} números.`),
  /** Appears once under a name with digits. Names of companies have them. */
  doubtfulName: 'O nome tem números. Se estiver certo, é só continuar.',
  /** Appears under the button if more than one field is wrong. */
  checkFields: (count: number) => `Confira ${count} campos.`,
  /** The page shows another amount than the order costs now. */
  newTotal: (amount: string) => `O valor do pedido mudou. Agora é ${amount}.`,
  /** Follows an error that will pass, and says when to try again if the proxy named a time. */
  retrySoon: 'Espere um pouco e tente de novo.',
  retryAt: (time: string) => `Tente de novo às ${time}.`,
  /** Appears only if the attempt cannot have moved money. */
  nothingCharged: 'Nada foi cobrado nesta tentativa.',
  /** Follows the refusal of a card. */
  otherCard: 'Confira os dados ou use outro cartão.',
  /** Follows an error after which the form has dropped the security code. */
  codeAgain: 'Digite o CVV de novo.',
  /** Follows an error after which only the shop can help. */
  askShop: 'Fale com a loja.',
  errors: {
    invalid_request: 'Algum dado não foi aceito. Confira o que você preencheu e tente de novo.',
    unknown_order: 'Não encontramos este pedido. Fale com a loja.',
    order_paid: 'Este pedido já está pago. Não pague de novo.',
    order_closed: 'Este pedido não pode mais ser pago. Fale com a loja.',
    order_failed: 'Há um erro neste pedido. Fale com a loja.',
    amount_mismatch: 'O valor do pedido mudou. Recarregue a página antes de pagar.',
    unauthorized: outdated,
    not_found:
      'Não encontramos este pagamento. Se você já pagou, não pague de novo: fale com a loja.',
    in_progress: 'Outro pagamento deste pedido está em andamento.',
    key_reused: 'Esta tentativa expirou. Tente de novo.',
    too_many_requests: 'Foram muitas tentativas.',
    payment_refused: 'Pagamento não aprovado.',
    outcome_unknown: 'Estamos confirmando seu pagamento. Não pague de novo.',
    service_unavailable: noAnswer,
    configuration: notHere,
    invalid_code: noCode,
    code_amount_differs: noCode,
    invalid_answer: noAnswer,
    network: noAnswer,
    reference_mismatch: 'O pagamento não bate com este pedido. Não pague de novo: fale com a loja.',
    unsupported_method: notHere,
    tokenization_failed: 'Não foi possível ler o cartão com segurança. Tente de novo.',
  } satisfies Record<ShownErrorCode, string>,
};

/** All texts of one language. Each language has the entries of pt-BR. */
export type Messages = Readonly<typeof ptBr>;

/** Single texts in the page's own words: any entry, and any entries of a group. */
export type TextOverrides = {
  readonly [K in keyof Messages]?: Messages[K] extends Readonly<Record<string, unknown>>
    ? Partial<Messages[K]>
    : Messages[K];
};
