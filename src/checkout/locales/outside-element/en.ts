/** The texts outside the element in English. */

import type { CardWords, DialogWords, DrawnWords, PaymentWords, QrEndings } from './pt-br.js';

export const card: CardWords = {
  fields: {
    card_number: { label: 'Card number' },
    card_name: { label: 'Name on card' },
    card_expiry: { label: 'Expiry', pattern: 'MM/YY' },
    card_code: { label: 'CVV' },
  },
  accepts: 'We accept',
  codeOnBack: 'On the back',
  codeInFront: 'On the front',
  codeAgain: 'Enter it again.',
  missing: {
    card_number: 'Enter the card number.',
    card_name: 'Enter the name on the card.',
    card_expiry: 'Enter month and year.',
    card_code: 'Enter the CVV.',
  },
  invalid: {
    card_number: 'Invalid number: check it.',
    card_name: 'Use letters only.',
    card_expiry: 'Check it: MM/YY.',
    card_code: '3 digits (Amex: 4).',
  },
  faults: {
    length: 'Too few or too many digits.',
    incomplete: 'Enter the last name, too.',
    too_long: 'Too long: shorten it.',
    past: 'Card expired.',
  },
  notAccepted: (brand, accepted) => `The shop does not take ${brand}. Use ${accepted}.`,
  ending: (brand, digits) => `${brand ?? 'Card'} ending in ${digits}`,
  protection: { encrypted: 'Protected payment', local: 'Protected payment (local test)' },
  installments: 'Instalments',
  atOnce: (total) => `In full ${total}`,
  inParts: (count, each, total, interestFree) =>
    `${count}x ${each} ${interestFree ? 'interest-free' : `(${total})`}`,
  withInterest: (total) => `With interest, ${total} in all`,
};

export const dialog: DialogWords = {
  name: 'Payment',
  close: 'Close',
  stay: 'Payment in progress. Close again to leave.',
  missing: 'The payment did not open. Load the page again and retry.',
};

export const drawn: DrawnWords = {
  show: 'Show the Pix code',
  waiting: 'Pay in your bank app, then press “I have paid”.',
};

export const payment: PaymentWords = {
  preview: 'Payment link',
  retry: 'Try again',
  contact: 'Contact the shop',
  back: 'Back to the shop',
  opening: 'Opening the order…',
  slow: 'This is taking long. If it goes on, open this link in your phone’s browser.',
  badLink: {
    title: 'This link could not be opened',
    text: 'It has expired or is incomplete. Ask the shop for another one.',
  },
  paid: {
    title: 'This order is already paid',
    text: 'Do not pay again.',
  },
  closed: {
    title: 'This order is closed',
    text: 'It can no longer be paid. If you have paid already, contact the shop.',
  },
  failed: {
    title: 'There is an error in this order',
    text: 'It cannot be paid like this. Contact the shop.',
  },
  unreachable: {
    title: 'The order could not be opened',
    text: 'Try again. If you have paid already, do not pay again.',
  },
  noScripts: {
    title: 'One step before you can pay',
    text: 'This page works with JavaScript only. Turn it on in your browser, or open this link in another one.',
    toContact: (shop, reference) =>
      `If that does not help, contact the shop ${shop}${reference ? ` and name the order ${reference}` : ''}.`,
  },
};

export const qrEndings: QrEndings = {
  // This order is already paid
  paid: 'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADIUlEQVR42u3XsY7bOBAA0DEUhC4WmXYL44j8xRVCiKvyG7d/4HQuFiEXLtidP+m4UaEyn3AU8gHHIM0UPM6t5A0uJ9sikd1UoTrLDxI5HM2QwAWXg6qqqqqqqqqqqqqqqvrhquhWApB5RQAirzzAKq8MAOicSiDoZGAnKoJmgzlFDXMQOTWKUS4rL5nTKqecepgn5JQZo2CyarqrM2oaklfLKk3TCzKjplBRRsUp7IQlKmbU8V1JPJv6mFVjpPacUUFNkW3yKjVZpZmj4H1eEZaoUKS8LFFO5VUc0zWrSBvOq6BWBcr/0pQ860rklSJAzq9jHCtOk8ucBIo5n4WgS3LV5FVEdvlvKCIPBUrwl/xXW1YBjpEK6jkqU2GVc0UVs6z6llXysq5Q1mHKuhWPnU89Txdl96DyHTkANM+1Uyi8VXdpVVX106o+pwgEsv36Qz9d9TnFA/9Xm5+urqQNir2+ur3WgroLao3WSTZqvVvfrmh/QYGwBhkkbGEH33Sj/6vGWmv5FTbeb7c7dUGJzh7+ShLFELa005fm2FnLSVrs6F1cUnec1Ki28CtfVk7GSf2+qDyWqCSOb3zHtKDYPo5+UR1skohD2MYlhWNU0fvdbregjGCQGB5WaEk5ZKOQ1rew9MYpczBe64ZqNakqrw7n/qS5Oh7G1ddEe9z8cdTfoQ7nFM0Vn1P8fergNbvY3gQVVLjpSHciiZA2M2UUw237m5MO/euO+ENDqxBfzBTIBG27MmiEW3WB3SpAIJgpxNi2rRwL6/7uU2Dnw8O1nSn5J7/ftAr7v3t7P3zm+/APBU/zZzGnUXXc22EYuCNNYZirhpk2rYaGxWH4PCkfhnhmjpNyAofwiTvawalyMh6VEThQx2OVPlUR45tNqyXb/vCo6FQxxvebViNjbwd6yx0NZ0YvH9VH7O19FHwfBgphpv6QGNtNq61Fu78bT7d+OBNVwGn0RowrNKqzK2RkGpVH89a/TsgfmrAO9OI0c15uWh2U78NNktyJeH2SObPTjuQu/z2WqahKlC9Tukhxiap1taqqqqqqqqqqqqqqJ6h/AfaKsAbW2IiyAAAAAElFTkSuQmCC',
  // This Pix code no longer works
  ended:
    'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADPklEQVR42u3XsW4bIRgAYE5UYivN1iEyQ4auHT1EoVLfpH0Bd7sh6l11w3WI4kfqRQx+DQgvAOpQBsTfcBdX59oxDE6lqHiwJfTpgJ///zkjyPgMqKiiiiqqqKKKKqqoop5dZQ0FhFhaOYRIWkmEqrRqEUJNSgVE3N7C9pRHDbQ0pRwGMCSloojyuJIMIFQpNfCHfaKUamMU2qQaR5uEGpck+XEVMHgKhiUUicollKejojnKJ5RjkQTyDxUfF5VQZlL4JKoZVfdyFclRAeeomK4Zqs1SQ5NUfKyN9DnG2sDJzIlZn85C8CwjVyHwlBqrp/E0QyUrzY9zpap2WlGqA0yRMvwUnSmzyw1ZHTOv++Z18rxbIe+GybutIN58/DS3KAwPKn0jG4Twqd4UMofKW1pRRf2fys6+DyuENJg4QNWf5tk8rXBKxbmGyh5RnuvxVwyQoTYmoXrrKWycFQY89TScN92+uq+swQ/qi7JgiMPu1Ve0r+RWGQUSy8qg623jnytplYozGgHqTikj6+W+UsaqX7Ax1n0EoYRRrr7m+8pZBbCR1hMQENUqHFSSx6jGnYJwyq3QvtLOGgIDtoFCDxun/RPKYRhofNZRBXewgdmMh2LvLKioHAHxa9zjYaXtqAQIO6qvzSGlxmcZvY3q5cF1ySoqdeyEYiTwqMyR09Zu2t0sc76VblLUqVTYe4WD9YtQfgWyCWwIb7n57Jlmxl1z4sRayGamPvCWB9ZevWHywpD7qC4r1637gc0U4oiFBVogOmCJJTOmrpHDazq9nj+qc/aahsViQWnX3d1JcKZerWp+y+hcXS0YDef8Ne17IZQCZ5YrVzc3nP6YKb5gfVSsp2JjNbjVUvll853T+R6bBY/qlvVUD0iD+xQVtI89YKvOo2pG1SIN/tP7SbX8mPr8qCR9YsYNaPAXZ6PiYVfNVg8awrsz65dww6DfVXSrxE8NgVTG1XDL2I56jCrr+06pqDqzqmFNKdlR0wmxvsWy0hBo55CDNdk5oYZNp8364cJgDUA7Xz2ovmU7asoc1kvtaVQCiIO1kPxwDemsShM5qs9SLclRA81Rf/8hL72wqKKKKqqooooqqqjnUb8B9rKfRXHkxHsAAAAASUVORK5CYII=',
};
