"""A shop beside `pix-checkout serve`: Python 3.9, standard library only. GET /orders/1042 is an order's page, POST /order says what it
costs (PIX_ORDER_URL), POST /events hears of its payment (PIX_EVENTS_URL). python3 shop.py 8000 tries it out. The variables have the names and
values that `serve` has; SHOP_STATE is a folder to write to. Yours to change: ORDERS, hear."""
import base64, contextlib, hmac, html, json, os, re, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
ORDERS = {'1042': {'title': 'Café da Serra, 500 g', 'cents': 12990}}  # your database
WRITING = threading.Lock()
class Problem(Exception): body = b''
class UnknownOrder(Problem): body = b'{"order": null}'  # no other 404 says that an order is not known
def not_found(kind=Problem): raise kind(404)
def setting(name):  # as a variable, or in the file that NAME_FILE names
    file = os.environ.get(name + '_FILE')
    value = (open(file, encoding='utf-8').read() if file else os.environ.get(name, '')).strip()
    if not value: raise ValueError(name + ' is missing')
    return value
def encode(data): return base64.urlsafe_b64encode(data).rstrip(b'=').decode()
def order_token(reference):  # src/proxy/door/tokens/README.md
    info = ('pix-checkout v1 order ' + setting('PIX_PUBLIC_URL').rstrip('/')).encode()
    key = hmac.digest(hmac.digest(b'', setting('PIX_SECRETS').split()[0].encode(), 'sha256'), info + b'\x01', 'sha256')
    signed = 'v1.' + encode(json.dumps({'e': reference, 'x': int(time.time()) + 86_400}).encode())
    return f"{signed}.{encode(hmac.digest(key, signed.encode(), 'sha256'))}"
def verified(headers, body):  # Standard Webhooks: over the body as it came, in constant time, five minutes old at most
    event_id, sent, signatures = (headers.get('webhook-' + name, '') for name in ('id', 'timestamp', 'signature'))
    is_ours = False
    for secret in setting('PIX_WEBHOOK_SECRETS').split():
        key = base64.b64decode(secret[6:], validate=True) if secret.startswith('whsec_') else b''
        if len(key) < 24: raise ValueError('PIX_WEBHOOK_SECRETS')  # with an empty key anyone could sign
        expected = b'v1,' + base64.b64encode(hmac.digest(key, f'{event_id}.{sent}.'.encode() + body, 'sha256'))
        for one in signatures.split(' '): is_ours = hmac.compare_digest(expected, one.encode()) or is_ours
    is_fresh = re.fullmatch('[0-9]{1,12}', sent) and abs(time.time() - int(sent)) <= 300
    if not (is_ours and is_fresh and event_id): raise Problem(401)
    return event_id, json.loads(body)
def heard():  # a table of your database, with a unique id, written in one transaction with the order
    found = {}
    with open(setting('SHOP_STATE') + '/events', 'a+', encoding='utf-8') as file:
        file.seek(0)
        for line in file:
            with contextlib.suppress(ValueError):  # a line that was cut off while it was written is none
                found[json.loads(line)['id']] = json.loads(line)['event']
    return found
def hear(event_id, event):  # answered 2xx only when it is stored: until then it is told again
    if not (isinstance(event, dict) and event.get('type') and event.get('data', {}).get('external_id')): raise Problem(400)
    with WRITING, open(setting('SHOP_STATE') + '/events', 'a', encoding='utf-8') as file:
        if event_id in heard(): return  # told again: what it meant was done
        file.write('\n' + json.dumps({'id': event_id, 'event': event}))
def is_paid(reference):  # a second payment, or too little, is for a person to look at
    return any(one['type'] == 'invoice.paid' and one['data']['external_id'] == reference and not one['data']['duplicate']
               and one['data']['total_cents'] >= ORDERS[reference]['cents'] for one in heard().values())
def price(_, question):  # the only source of the price: your records, never a browser
    order = ORDERS.get(question['external_id']) or not_found(UnknownOrder)
    item = {'name': order['title'], 'quantity': 1, 'unit_price': order['cents']}
    return {'status': 'paid'} if is_paid(question['external_id']) else {'total_price_cents': order['cents'], 'items': [item]}
def page(reference):  # a real shop first checks whose order it is: the token lets its holder see the code
    order = ORDERS.get(reference) or not_found()
    title, endpoint = html.escape(order['title']), html.escape(setting('PIX_PUBLIC_URL'))
    checkout = '<p>Obrigado! O pedido está pago.</p>' if is_paid(reference) else f'''<pix-checkout
        external-id="{reference}" order-token="{order_token(reference)}" total-price-cents="{order['cents']}"></pix-checkout>'''
    return f'''<!doctype html><html lang="pt-BR"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>{title}</title><link rel="stylesheet" href="{endpoint}/assets/pix-checkout.css">
        <script type="module" src="{endpoint}/assets/pix-checkout.min.js"></script><h1>{title}</h1>{checkout}</html>'''
class Shop(BaseHTTPRequestHandler):
    def answer(self, work):
        try: status, kind, body = work(self.path.split('?')[0])
        except Exception as error:
            if not isinstance(error, Problem): print('failed:', type(error).__name__, file=sys.stderr)  # no message: it may hold anything
            problem = error if isinstance(error, Problem) else Problem(500)
            status, kind, body = problem.args[0], 'application/json' if problem.body else 'text/plain', problem.body
        self.send_response(status)
        length = {} if status == 204 else {'Content-Length': str(len(body))}
        for name, value in {'Content-Type': kind, 'Cache-Control': 'no-store', **length}.items(): self.send_header(name, value)
        self.end_headers(), self.wfile.write(body)
    do_GET, do_POST, log_message = lambda self: self.answer(self.show), lambda self: self.answer(self.call), lambda *_: None
    def show(self, path):
        order = re.fullmatch(r'/orders/([\w.:-]{1,64})', path, re.A) or not_found()
        return 200, 'text/html; charset=utf-8', page(order[1]).encode()
    def call(self, path):
        length = int(self.headers.get('Content-Length', 0))
        if not 0 < length <= 65_536: raise Problem(413)
        told = verified(self.headers, self.rfile.read(length))
        if path == '/order': return 200, 'application/json', json.dumps(price(*told)).encode()
        return hear(*told) or (204, 'text/plain', b'') if path == '/events' else not_found()
if __name__ == '__main__':
    if not sys.argv[1:2] or not sys.argv[1].isdigit(): sys.exit('Usage: python3 shop.py PORT, such as python3 shop.py 8000')
    for name in ('PIX_PUBLIC_URL', 'PIX_SECRETS', 'PIX_WEBHOOK_SECRETS', 'SHOP_STATE'):
        try: setting(name)
        except (ValueError, OSError) as error: sys.exit(f'{error}: serve prints it, and SHOP_STATE is a folder to write to')
    ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Shop).serve_forever()
