/** Brazilian Portuguese: the payer's language, and the source of the other two. Words only. */

import type { Messages } from './messages.js';

const tryLater = 'O serviço de pagamento não respondeu. Tente de novo em instantes.';
const reload = 'O acesso a este pagamento venceu. Recarregue a página.';
const notHere = 'O pagamento não está disponível nesta página. Fale com a loja.';

export const ptBr: Messages = {
  title: 'Pague com Pix',
  order: (reference) => `Pedido ${reference}`,
  insteadOf: 'De',
  discount: (amount) => `${amount} de desconto no Pix`,
  summary: 'Resumo do pedido',
  test: 'Ambiente de teste: não pague de verdade',

  optional: '(opcional)',
  letters: 'CNPJ com letras',
  choose: 'Escolha',
  generate: 'Gerar código Pix',
  newCode: 'Gerar novo código Pix',
  retry: 'Tentar de novo',

  creating: 'Gerando seu código Pix…',
  finding: 'Buscando seu pagamento…',
  ready: (amount) => `Código Pix de ${amount} pronto.`,
  copy: 'Copiar código Pix',
  copiedLabel: 'Código copiado',
  copied: 'Código copiado. Agora abra o app do seu banco.',
  copyFailed: 'Não deu para copiar. Toque e segure o código e escolha Copiar.',
  waiting: 'Aguardando seu pagamento. Esta página se atualiza sozinha.',
  checking: 'Conferindo…',
  notYet: 'Ainda não recebemos a confirmação. Se você já pagou, não pague de novo.',
  offline: 'Você está sem internet. Continuamos assim que ela voltar.',
  troubledLine: 'A conexão está instável. Continuamos tentando.',
  payUntil: (time) => `Pague até ${time}`,
  timeLeft: (clock) => `restam ${clock}`,
  lessThan: (minutes) => `Menos de ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} para pagar.`,

  howTo: 'Como pagar',
  steps: [
    'Copie o código Pix.',
    'Abra o app do seu banco.',
    'No app do banco, escolha Pix Copia e Cola, confira nome e valor e pague. Depois volte aqui.',
  ],
  receiver: 'Quem recebe',
  receiverMaybe: 'No app do banco, quem recebe pode aparecer como',
  code: 'Pix Copia e Cola',
  wholeCode: 'Ver código inteiro',
  qrTitle: 'Pagar com outro aparelho',
  qrHint: 'Aponte a câmera do app do banco para o QR Code.',
  qrName: (amount, receiver) => `QR Code Pix de ${amount}${receiver && ` para ${receiver}`}`,
  alreadyPaid: 'Já paguei',
  trouble: 'O código não funcionou?',
  troubleOffer:
    'Ainda não recebemos nada. Se o código não funciona, gere outro e pague só um deles.',

  confirming: (reference) =>
    `Estamos confirmando seu pagamento. Não pague de novo.${reference && ` Pedido ${reference}.`}`,
  expired: 'O prazo deste código acabou. Se já pagou, não pague de novo: continuamos conferindo.',
  paid: (amount) => `Pagamento confirmado. Recebemos ${amount}.`,
  amount: 'Valor',
  method: 'Forma de pagamento',
  pix: 'Pix',
  card: 'Cartão de crédito',
  reference: 'Pedido',
  orderCode: 'Código do pagamento',
  confirmedAt: 'Confirmado em',
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
  },
  hints: { phone: 'Com DDD', address_number: 'Sem número: S/N' },
  faults: {
    missing: (label) => `Preencha o campo ${label}.`,
    invalid: (label) => `Confira o campo ${label}.`,
    too_long: (label) => `Use menos letras no campo ${label}.`,
  },
  invalid: {
    name: 'Escreva seu nome com letras.',
    cpf_cnpj: 'Confira os números do CPF ou CNPJ: há um erro de digitação.',
    email: 'Confira o e-mail. Exemplo: nome@email.com',
    phone: 'Confira o número com DDD. Exemplo: (11) 98765-4321',
    address_zip: 'Confira o CEP: são 8 números.',
  },
  nothingCharged: 'Nada foi cobrado nesta tentativa.',
  askShop: 'Fale com a loja.',
  errors: {
    invalid_request: 'Algum dado não foi aceito. Confira o que você preencheu e tente de novo.',
    unknown_order: 'Não encontramos este pedido. Volte à loja e comece de novo.',
    order_paid: 'Este pedido já está pago. Não pague de novo.',
    order_closed: 'Este pedido não pode mais ser pago. Fale com a loja.',
    amount_mismatch: 'O valor do pedido mudou. Recarregue a página antes de pagar.',
    unauthorized: reload,
    not_found:
      'Não encontramos este pagamento. Se você já pagou, não pague de novo: fale com a loja.',
    in_progress:
      'Outro pagamento deste pedido está em andamento. Espere um minuto e tente de novo.',
    key_reused: reload,
    too_many_requests: 'Foram muitas tentativas. Espere um minuto e tente de novo.',
    payment_refused: 'Pagamento não aprovado. Confira os dados, use outro cartão ou pague com Pix.',
    outcome_unknown: 'Estamos confirmando seu pagamento. Não pague de novo.',
    service_unavailable: tryLater,
    configuration: notHere,
    invalid_code: 'O código Pix veio com defeito e não foi mostrado.',
    code_amount_differs: 'O código Pix veio com outro valor e não foi mostrado.',
    invalid_answer: tryLater,
    network: 'Não conseguimos conexão. Confira sua internet e tente de novo.',
    reference_mismatch:
      'O pagamento encontrado não confere com este pedido. Não pague de novo: fale com a loja.',
    unsupported_method: notHere,
  },
};
