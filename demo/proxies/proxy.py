"""A careful proxy for <pix-checkout>: Python 3, standard library only. Pix; cards are refused. HTTPS stands in front of it.
python3 proxy.py 8080 serves (app is a WSGI application); python3 proxy.py reconcile, each minute by cron, finds the payments of
closed pages. Set PIX_PUBLIC_URL, PIX_ALLOWED_ORIGINS, PIX_SECRETS, PIX_SERVICE_URL, PIX_ACCESS_TOKEN, PIX_STATE, a folder to write
to, and PIX_ORDERS, a file as {"order-1042": {"total_price_cents": 12990, "items": []}}. Yours to change: price_of and on_paid.
The rest is src/contract/README.md and src/proxy/door/tokens/README.md."""
import base64, contextlib, fcntl, hmac, json, os, re, socketserver, sys, time, urllib.parse, urllib.request
from wsgiref import simple_server
ENV = os.environ
PUBLIC_URL, SERVICE = ENV['PIX_PUBLIC_URL'].rstrip('/'), ENV['PIX_SERVICE_URL'].rstrip('/') + '/api/v2/invoices'
ORIGINS, SECRETS = ENV['PIX_ALLOWED_ORIGINS'].split(), [one.encode() for one in ENV['PIX_SECRETS'].split()]
if min(map(len, SECRETS), default=0) < 32: raise ValueError('PIX_SECRETS: the current one first, each at least 32 bytes')
FIELDS = {'method', 'external_id', 'order_token', 'payer', 'expected_total_cents', 'replaces'}
PAYER = re.compile('(name|cpf_cnpj|email|phone|address_(zip|line|number|complement|city|state))=.{0,200}')
# of a payment that went back since; yours to change: the words of your service
RETURNED = '''refunded partially_refunded refund_pending returned partially_returned reversed
  chargeback chargedback contested disputed'''.split()
class Problem(Exception):
    def __init__(self, status, code, **more): self.status, self.code, self.more = status, code, more

def price_of(reference):  # your shop: {'total_price_cents': 12990, 'items': []}, or 'paid', 'closed', None
    with open(ENV['PIX_ORDERS'], encoding='utf-8') as file: return json.load(file).get(reference)
def on_paid(reference, invoice, is_duplicate):  # your shop: the only reason to ship. May come twice, or for an old price
    with open(ENV['PIX_STATE'] + '/payments', 'a', encoding='utf-8') as file:
        print(json.dumps([reference, invoice['id'], invoice['total'], is_duplicate]), file=file)

def encode(data): return base64.urlsafe_b64encode(data).rstrip(b'=').decode()
def signature(secret, purpose, signed):
    info = f'pix-checkout v1 {purpose} {PUBLIC_URL}'.encode()
    key = hmac.digest(hmac.digest(b'', secret, 'sha256'), info + b'\x01', 'sha256')  # HKDF (RFC 5869)
    return encode(hmac.digest(key, signed.encode(), 'sha256'))
def sign(purpose, life_seconds, payload):
    signed = 'v1.' + encode(json.dumps({**payload, 'x': int(time.time()) + life_seconds}).encode())
    return f'{signed}.{signature(SECRETS[0], purpose, signed)}'
def open_token(purpose, token):
    parts = re.fullmatch(r'(v1\.([\w-]+))\.([\w-]+)', token if isinstance(token, str) else '', re.A)
    if not parts or not any(hmac.compare_digest(parts[3], signature(one, purpose, parts[1])) for one in SECRETS): return {}
    payload = json.loads(base64.urlsafe_b64decode(parts[2] + '=='))
    return payload if payload['x'] > time.time() else {}
class NoRedirect(urllib.request.HTTPRedirectHandler):  # the access token goes to the service and nowhere else
    def redirect_request(self, *_): return None
def ask_service(path='', body=None):
    headers = {'Authorization': f"Bearer {ENV['PIX_ACCESS_TOKEN']}", 'Content-Type': 'application/json'}
    request = urllib.request.Request(SERVICE + path, json.dumps(body).encode() if body else None, headers)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=10) as answer:
            data = json.loads(answer.read(262_144))['data']
            if re.fullmatch(r'[\w-]{8,64}', data['invoice_id'], re.A) and data['total_cents'] and data['status']: return data
            raise ValueError('data')
    except Exception as error:
        status = 404 if not body and getattr(error, 'code', 0) == 404 else 503
        raise Problem(status, 'not_found' if status == 404 else 'service_unavailable') from error
@contextlib.contextmanager
def locked(reference):  # one request of an order at a time reads, asks the service, and writes before it answers
    path = os.path.join(ENV['PIX_STATE'], reference.encode().hex() + '.json')
    with open(path + '.lock', 'w', opener=private) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        former = json.dumps({'reference': reference, 'invoices': {}})
        with contextlib.suppress(FileNotFoundError), open(path, encoding='utf-8') as file: former = file.read()
        order = json.loads(former)
        try: yield order
        finally: json.dumps(order) == former or write(path, json.dumps(order))
def write(path, text):  # all or nothing: an order that is forgotten gets a second code
    with open(path + '.new', 'w', opener=private) as file:
        file.write(text), file.flush(), os.fsync(file.fileno()), os.replace(path + '.new', path), os.fsync(file.fileno())
def private(path, flags): return os.open(path, flags, 0o600)
def public(order, one):  # each field by its name: client, payer and end_to_end_id never leave
    return {'invoice_id': one['id'], 'order_code': one['order_code'], 'external_id': order['reference'],
            'status': 'paid' if one['paid'] else 'pending', 'total_cents': one['total'], 'qr_code_pix': one['code']}
def with_token(order, one):
    payload = {'i': one['id'], 'e': order['reference'], 't': one['total'], 'm': 'pix'}
    return {**public(order, one), 'lookup_token': sign('lookup', 7 * 86_400, payload)}
def look_up(order, one):  # paid is what this finds, never what a postback or a page says; and it stays so
    found, one['looked'] = ask_service('/' + one['id']), time.time()
    status = found['status'].lower() if re.fullmatch(r'(?!.*\d{3})[\w-]{1,40}', found['status'], re.A) else 'unknown'
    is_ours = (found['invoice_id'], found['external_id'], found.get('is_pix')) == (one['id'], order['reference'], True)
    if status == 'paid' and not (is_ours and found['total_cents'] == one['total']):
        status = 'amount_mismatch' if is_ours else 'reference_mismatch'
    if status == 'paid' and not one['paid']:  # told before it is recorded: rather twice than never
        on_paid(order['reference'], one, any(other['paid'] for other in order['invoices'].values()))
        one['paid'] = True
    moments = {name: str(found.get(name, ''))[:40] for name in ('created_at', 'updated_at')}
    went_back = {'returned': True} if one['paid'] and status in RETURNED else {}  # the order stays paid
    return {**public(order, one), 'status': 'paid' if one['paid'] else status, 'is_pix': True, 'installments': 1, **moments, **went_back}
def refuse_if_paid(order, price):
    paid = [with_token(order, one) for one in order['invoices'].values() if one['paid']]
    if paid or price == 'paid': raise Problem(409, 'order_paid', **({'data': paid[0]} if paid else {}))
def need(is_good, detail, status=400):
    if not is_good: raise Problem(status, 'invalid_request', detail=detail)
def create(body, key, address):
    need(re.fullmatch(r'[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}', key, re.I | re.A), 'Idempotency-Key')
    need(isinstance(body, dict) and not set(body) - FIELDS, 'body')
    need(body.get('method') == 'pix', 'method')  # cards ask for more: see the contract
    reference, payer = body.get('external_id'), body.get('payer', {})
    need(isinstance(reference, str) and re.fullmatch(r'[A-Za-z0-9._:-]{1,64}', reference), 'external_id')
    is_field = lambda name, text: isinstance(text, str) and PAYER.fullmatch(f'{name}={text}')
    need(isinstance(payer, dict) and all(is_field(*one) for one in payer.items()), 'payer')
    if open_token('order', body.get('order_token')).get('e') != reference: raise Problem(401, 'unauthorized')
    price = price_of(reference)
    if price is None or price == 'closed': raise Problem(409, 'order_closed') if price else Problem(404, 'unknown_order')
    with locked(reference) as order:
        refuse_if_paid(order, price)
        if body.get('expected_total_cents', total := price['total_price_cents']) != total: raise Problem(409, 'amount_mismatch')
        same = [one for one in order['invoices'].values() if one['total'] == total]
        if same and same[-1]['id'] != body.get('replaces'): return with_token(order, same[-1])
        for former in order['invoices'].values(): look_up(order, former)
        refuse_if_paid(order, price)
        return with_token(order, make(order, total, {'items': price['items'], 'payer': payer, 'ip_payer': address}))
def make(order, total, more):
    now, reference = time.time(), order['reference']
    if sum(one['made'] > now - 3_600 for one in order['invoices'].values()) >= 3: raise Problem(429, 'too_many_requests')
    postback_url = f"{PUBLIC_URL}/postbacks/{sign('postback', 30 * 86_400, {'e': reference})}"
    more.update(method='pix', external_id=reference, total_price_cents=total, postback_url=postback_url)
    made = ask_service(body=more)
    if (made['external_id'], made['total_cents']) != (reference, total) or not made.get('qr_code_pix'):
        raise Problem(503, 'service_unavailable')  # no payer has seen that invoice: it harms no one
    one = {'id': made['invoice_id'], 'order_code': str(made.get('order_code', ''))[:64], 'code': made['qr_code_pix']}
    return order['invoices'].setdefault(one['id'], {**one, 'total': total, 'made': now, 'looked': now, 'paid': False})
def reconcile(reference, is_hinted=False):  # at each tenth of an invoice's age: soon often, later seldom
    with locked(reference) as order:
        is_burst = is_hinted and time.time() - order.get('hinted', 0) < 2  # the rest of a burst is left to the next run
        if is_hinted and not is_burst: order['hinted'] = time.time()
        for one in order['invoices'].values():
            if is_burst: one['looked'] = 0
            age, since = time.time() - one['made'], time.time() - one['looked']
            is_due = not is_burst if is_hinted else age < 8 * 86_400 and since >= max(15, age / 10)
            if one['paid'] or not is_due: continue
            try: look_up(order, one)
            except Exception as error: note(error)
def payer_address(env):  # behind a web server of this machine: the last one, which that server has seen
    peer, seen = env['REMOTE_ADDR'], env.get('HTTP_X_FORWARDED_FOR', '').split(',')[-1].strip()
    return seen if peer in ('127.0.0.1', '::1') and re.fullmatch(r'[\da-fA-F:.]{3,45}', seen, re.A) else peer
def route(env, method, origin):
    path = env['PATH_INFO'].removeprefix(urllib.parse.urlsplit(PUBLIC_URL).path)
    hinted = open_token('postback', path.removeprefix('/postbacks/')).get('e')
    if hinted: return reconcile(hinted, is_hinted=True)  # a hint, whatever its body says
    need(origin in ORIGINS or (origin is None and env.get('HTTP_SEC_FETCH_SITE') != 'cross-site'), 'allowedOrigins', 403)
    match = re.fullmatch(r'/invoices(?:/([\w-]{8,64}))?', path, re.A)
    if not match: raise Problem(404, 'not_found')
    if method == 'OPTIONS': return None
    need(method == ('GET' if match[1] else 'POST'), 'method', 405)
    if match[1]:
        of = open_token('lookup', env.get('HTTP_LOOKUP_TOKEN') or env.get('HTTP_AUTHORIZATION', '').removeprefix('Bearer '))
        if of.get('i') != match[1]: raise Problem(401, 'unauthorized')
        with locked(of['e']) as order: return look_up(order, order['invoices'][match[1]])
    need(re.fullmatch(r'application/json(;\s*charset=utf-8)?', env.get('CONTENT_TYPE', ''), re.I), 'Content-Type', 415)
    need(len(text := env['wsgi.input'].read(max(0, min(int(env.get('CONTENT_LENGTH') or 0), 16_385)))) <= 16_384, 'body', 413)
    try: body = json.loads(text)
    except ValueError: body = None
    return create(body, env.get('HTTP_IDEMPOTENCY_KEY', ''), payer_address(env))
def note(error):  # no message: it may hold anything
    print(json.dumps({'event': 'service_failed', 'errorName': type(error.__cause__ or error).__name__}), file=sys.stderr)
def app(env, start):
    origin, status = env.get('HTTP_ORIGIN'), 200
    headers = {'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Vary': 'Origin', 'X-Content-Type-Options': 'nosniff'}
    if origin in ORIGINS: headers |= {
        'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Allow-Headers': env.get('HTTP_ACCESS_CONTROL_REQUEST_HEADERS', ''),  # what traces a page adds its own
        'Access-Control-Allow-Methods': 'GET, POST', 'Access-Control-Expose-Headers': 'Retry-After'}
    try: body = {'data': route(env, env['REQUEST_METHOD'], origin), 'message': ''}
    except Exception as error:
        problem = error if isinstance(error, Problem) else Problem(500, 'service_unavailable')
        status = problem.status
        if status >= 500: note(error)
        body = {'type': 'about:blank', 'title': problem.code, 'status': status, 'code': problem.code, **problem.more}
        headers |= {'Content-Type': 'application/problem+json', **({'Retry-After': '5'} if status in (429, 503) else {})}
    start(f'{status} {"OK" if status == 200 else "Problem"}', list(headers.items()))
    return [json.dumps(body).encode()]
class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer): daemon_threads = True
simple_server.WSGIRequestHandler.log_message = lambda *_: None  # the addresses of postbacks are secret
if __name__ == '__main__' and sys.argv[1] != 'reconcile':
    simple_server.make_server('127.0.0.1', int(sys.argv[1]), app, Server).serve_forever()
for name in os.listdir(ENV['PIX_STATE']) if __name__ == '__main__' else []:
    if not name.endswith('.json'): continue
    try: reconcile(bytes.fromhex(name[:-5]).decode())
    except Exception as error: note(error)  # one order that fails holds no other up
