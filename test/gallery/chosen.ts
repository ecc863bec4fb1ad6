/** Which frames of the gallery are kept as pictures: `scenario`, then what differs from pt-BR, light, 390 px, 100 %. */

/** Every screen there is, on a phone. */
const phone = [
  'form form-address form-faults creating awaiting copy-failed deadline checking not-yet old-code unverified',
  'proxy-lost expired paid confirming amount-mismatch order-closed invalid-code unsupported proxy-down too-many',
  'card-form card-faults card-slot card-brand card-file-missing card-charging card-token-fails card-refuse',
  'card-pending card-hang card-merchant',
];

/** The screens that most payers see, in other looks. */
const looks = [
  'form.dark awaiting.dark paid.dark order-closed.dark card-form.dark',
  'awaiting.en card-form.en paid.en form.es awaiting.es card-form.es',
  'form.240 awaiting.240 paid.240 card-form.240 awaiting.320',
  'form.1000 creating.1000 awaiting.1000 paid.1000',
  'form.200 awaiting.200 card-form.200',
  'awaiting.long paid.long form.240.long form.rtl awaiting.rtl',
];

/** Names of the pictures. */
export const chosen: readonly string[] = [...phone, ...looks].flatMap((line) => line.split(' '));
