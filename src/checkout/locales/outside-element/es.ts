/** The texts outside the element in Spanish. */

import type { CardWords, DialogWords, DrawnWords, PaymentWords, QrEndings } from './pt-br.js';

export const card: CardWords = {
  fields: {
    card_number: { label: 'Número de tarjeta' },
    card_name: { label: 'Nombre en la tarjeta' },
    card_expiry: { label: 'Vencimiento', pattern: 'MM/AA' },
    card_code: { label: 'CVV' },
  },
  accepts: 'Aceptamos',
  codeOnBack: 'Al dorso',
  codeInFront: 'Al frente',
  codeAgain: 'Escríbalo otra vez.',
  missing: {
    card_number: 'Escriba el número de la tarjeta.',
    card_name: 'Escriba el nombre impreso.',
    card_expiry: 'Escriba mes y año.',
    card_code: 'Escriba el CVV.',
  },
  invalid: {
    card_number: 'Número inválido: revíselo.',
    card_name: 'Use solo letras.',
    card_expiry: 'Revise: MM/AA.',
    card_code: '3 dígitos (Amex: 4).',
  },
  faults: {
    length: 'Faltan o sobran dígitos.',
    incomplete: 'Escriba también el apellido.',
    too_long: 'Muy largo: abrévielo.',
    past: 'Tarjeta vencida.',
  },
  notAccepted: (brand, accepted) => `La tienda no acepta ${brand}. Use ${accepted}.`,
  ending: (brand, digits) => `${brand ?? 'Tarjeta'} terminada en ${digits}`,
  protection: { encrypted: 'Pago protegido', local: 'Pago protegido (prueba local)' },
  installments: 'Cuotas',
  atOnce: (total) => `Al contado ${total}`,
  inParts: (count, each, total, interestFree) =>
    `${count}x ${each} ${interestFree ? 'sin interés' : `(${total})`}`,
  withInterest: (total) => `Con interés, ${total} en total`,
};

export const dialog: DialogWords = {
  name: 'Pago',
  close: 'Cerrar',
  stay: 'Pago en curso. Cierre de nuevo para salir.',
  missing: 'El pago no se abrió. Recargue la página e inténtelo de nuevo.',
};

export const drawn: DrawnWords = {
  show: 'Mostrar código Pix',
  waiting: 'Pague en la app de su banco y luego toque “Ya pagué”.',
};

export const payment: PaymentWords = {
  preview: 'Enlace de pago',
  retry: 'Intentar de nuevo',
  contact: 'Hablar con la tienda',
  back: 'Volver a la tienda',
  opening: 'Abriendo el pedido…',
  slow: 'Está tardando. Si sigue así, abra este enlace en el navegador del teléfono.',
  badLink: {
    title: 'No se pudo abrir este enlace',
    text: 'El enlace venció o está incompleto. Pida otro enlace a la tienda.',
  },
  paid: {
    title: 'Este pedido ya está pagado',
    text: 'No pague de nuevo.',
  },
  closed: {
    title: 'Este pedido está cerrado',
    text: 'Ya no se puede pagar. Si ya pagó, hable con la tienda.',
  },
  failed: {
    title: 'Hay un error en este pedido',
    text: 'Así no se puede pagar. Hable con la tienda.',
  },
  unreachable: {
    title: 'No se pudo abrir el pedido',
    text: 'Inténtelo de nuevo. Si ya pagó, no pague de nuevo.',
  },
  noScripts: {
    title: 'Falta un paso para pagar',
    text: 'Esta página solo funciona con JavaScript. Actívelo en el navegador, o abra este enlace en otro navegador.',
    toContact: (shop, reference) =>
      `Si no es posible, hable con la tienda ${shop}${reference ? ` e indique el pedido ${reference}` : ''}.`,
  },
};

export const qrEndings: QrEndings = {
  // Este pedido ya está pagado
  paid: 'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADX0lEQVR42u3XsY7jNhAA0FEUhCkWYnuFYf6GCkMsrsh3BPkBly4MkwsXLveTooWLLfMLIu4HxrhmDiE4WWp9t2tbXvJwviIAXRn0g0XNkDMkcManh6KKKqqooooqqqiiivrpKmsoAKi0IgCRVgNAlVYWAExKBRB0MbEL5cGwlSlFNTOKlIoiyvfVoJhDlVK9fn5PSCkbo2CTahw1CTVOadDvqzC+HqqEGkNFCeXHsJPMUT6hXp4VxM3UP0kVI7XlhEI9RrZOq1AnlWH2grdpRTJHYZYaVI7qdVr5uFyTiozltEJdZahhXuf8151IK00gOZ1HHytOnVo5ATRzehWCyVmrNq285D69h7xkl6EEf07v2rwK8BIp1LeoTJlVrs+qmHnVN6+S53WFvA6T1604dj59my7K/bNKd2QEqG91UsgcKqe0oooq6mFa4Ult20neX1P4vephWh2ifFX8YyqIXt0zOe75cSeH/Wsvfat81c+ByRowdif7j68t5K0i6GdgCDrQIKSt+3pKIaJfaFp083kjpKj3+6lI4L9IG02bmZ4rIeV25yYVI21UVHd616j9tCKFBFHBUR0mZ1+Pir+qh0kVIEfxgMRMm5nx7zyRaUkmKu2vzv7AB1rSxkTVXY1EjOoyRvXD+1FdAc1AxwypqxlCWFWknvNojdVXs42wqUNy5Xw7dmTttP+3KhXz+5TLUp/efH+6oty3X26h+EfV3neCg/TC6prxke95Kwfjno4b5KgcrWqmmmq7AEYbgCtpdf/HIE/VsmKssLItGIQ1bECCsqIXpwqRhwEPjlYGV4vFYtbMlRD77VuF+AXZofvsgjfou/Wik383crfbnyom/kSOHUelQ2skN2p3LDtHRQceeICldvFmGzS1RvpGPT2cqj8JuIdl7TwYDHNojbTPSp4pjGpdOYpqBq1p4EL5vwaKq6F3tDYY2q41jbp4ov/oRoUO4+zbTWsafTF7Xztk98W9qHW7XnSNlueRCMINjOgQkQy27SpGVZ5HNYgBYieqcMzQCjpoQJ5nKEj8namiGttfDVr/i64kSHuWbZb0gYPwwnd3Bh/Db3ort/J85fDbmxlejHxV6kKpSxXOle8m1MnVeVQn975rKkwqPp/XfamFRRVVVFFFFVVUUUX9VPUfR9WBqurTOCsAAAAASUVORK5CYII=',
  // Este código Pix ya no vale
  ended:
    'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADFklEQVR42u3WwYrbMBAA0AmG+lKsHzCe39jD4umtv5PjHoLlkIJ7aj6hn1IvKeQ3HPIDyk0FoWnkbNLEcVY6pFuWKhAM5gVNZjQjAQd8WogqqqiiiiqqqKKKKqq/roJeWQD0Kw2Q+lUHMPGrGgCkT1lI9VVgV8qA5Fr4lE6YVepTTjj5uuqQ2U58qqX9/wSfql0Waq/q30qP6kPq6HVlEzaCFXpU6pT2KCN6JUKU8SiNjtj0DRX1QXmUOqjkLkr2avF+VRqibBKi3HYNUHWQaqVXUd8b/jq63ki8O8ftev8uZIMBe5Ut+VTfPdKIAOXtNNOv5evaQ0S+CXDIlKJ7TKbAKdcGTcyw6Rs2ycNOhbATJuy0Ynfy0X1OUW73yn8iK4DkXjeFwFfxlhZVVP+xUsx8HCfbS6X+DLYd8/IwMWuxuVbq9PujSl9XhxXrZLjiy/fwWR4ezXwQ/W5Uba6UTVqcM895zqslbtaauFHb1eZSmUlbAFtgkLDE+nMnxpSGNgdpYAYlCIS0TZ3arAbqSZlHMg+Pj2UuMEsXC6d268tMqF9KV6RnD1VOosCmWXGz2apmoFjpCrXUL0psuHnevlwZTkqj0oCatTypOhmoHeuJU4o153JZ0NqpdGtwkC+4VniluJtq5uOK1MfFVyuynmrJujpGv+yVWl4qpae6kro6zwQPM8FKP83+ZFX0WeVB7hU8gc6BLit0rWYTjSAvq82DaiuoEnu2c577ncPbZvdqp62D+rEJUSINUSBCVI0hqpNxFv47ZfF9KS1Fy2bKHRtqugrbUWWkAGk+UU2GmrrEmkYVZa5tCdDSEgo8u9yeqzIv0eRFJixmRVEUo8qWWKIpCxQWxY+sIDGqCrJoKKeGETnLb6icNBrpVIYmy2FUcU5wUvVN9bE6qm8l3Faz4kV9KTHLabxCX2cVGlk4VdFtZXqFgn9WlBX0fVTV5tGpTHBbFZnTY6o1LnpXmc5CdqNC/Gx7VRN3vFfj1eYNf3Cq248cXmTuOaa2QT20up+yaZASIcpgnHJRRRVVVFFFFVVUUb2d+g2IBXvkcpIYQwAAAABJRU5ErkJggg==',
};
