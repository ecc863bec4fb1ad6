/** A page without a framework: the script tag, the element, and what a payer sees after the payment. */
import { createServer, request as callShop } from 'node:http';

const { PORT, SHOP_URL } = process.env;

const toPage = ({ externalId, orderToken, totalCents }) => `<!doctype html>
<html lang="pt-BR">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Pedido ${externalId}</title>
  <link rel="icon" href="data:," />
  <link rel="stylesheet" href="/pix/assets/pix-checkout.css" />
  <script type="module" src="/pix/assets/pix-checkout.min.js"></script>
  <pix-checkout
    external-id="${externalId}"
    order-token="${orderToken}"
    total-price-cents="${totalCents}"
  ></pix-checkout>
  <script type="module">
    document.addEventListener('pix-paid', ({ detail }) => {
      const thanks = document.createElement('h1');
      thanks.textContent = 'Obrigado! Pedido ' + detail.externalId + ' pago.';
      document.querySelector('pix-checkout').replaceWith(thanks);
    });
  </script>
</html>`;

/** Your web server does this: it passes /pix on as it came. */
function passOn(request, response) {
  const { method, headers, url } = request;
  const call = callShop(SHOP_URL + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  call.on('error', () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  response.on('close', () => call.destroy());
  request.pipe(call);
}

createServer(async (request, response) => {
  if (request.url.startsWith('/pix/')) return passOn(request, response);
  const answer = await fetch(SHOP_URL + request.url);
  if (!answer.ok) return response.writeHead(404).end();
  response.setHeader('Content-Type', 'text/html');
  response.end(toPage(await answer.json()));
}).listen(Number(PORT), 'localhost');
