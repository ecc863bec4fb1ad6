<?php // A careful proxy for <pix-checkout>: PHP 8.1, no extension. Pix only; cards are refused. HTTPS stands in front of it.
// Set PIX_PUBLIC_URL, PIX_ALLOWED_ORIGINS, PIX_SECRETS, PIX_SERVICE_URL, PIX_ACCESS_TOKEN, PIX_STATE, a folder to write to, and
// PIX_ORDERS, a file as {"order-1042": {"total_price_cents": 12990, "items": []}}.
// PHP_CLI_SERVER_WORKERS=8 php -S 127.0.0.1:8080 proxy.php tries it out; in earnest all paths below publicUrl lead to this file.
// php proxy.php reconcile, each minute by cron, finds the payments of closed pages. Yours to change: price_of and on_paid. The rest
// is src/contract/README.md and src/proxy/door/tokens/README.md. Faults go to the error log, without what they were about.
ini_set('display_errors', '0');
define('PUBLIC_URL', rtrim((string) getenv('PIX_PUBLIC_URL'), '/'));
define('SECRETS', preg_split('/\s+/', (string) getenv('PIX_SECRETS'), -1, PREG_SPLIT_NO_EMPTY));
if (!SECRETS || min(array_map('strlen', SECRETS)) < 32) throw new Exception('PIX_SECRETS: the current one first, 32 bytes or more');
// of a payment that went back since; yours to change: the words of your service
const RETURNED = ['refunded', 'partially_refunded', 'refund_pending', 'returned', 'partially_returned', 'reversed',
    'chargeback', 'chargedback', 'contested', 'disputed'];
const FIELDS = ['method', 'external_id', 'order_token', 'payer', 'expected_total_cents', 'replaces'];
const SAFE = JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR; // a text that was cut inside a letter
const PAYER = '/^(name|cpf_cnpj|email|phone|address_(zip|line|number|complement|city|state))=.{0,200}\z/us';
class Problem extends Exception { function __construct(public int $status, public string $name, public array $more = []) {} }
// Your shop: ['total_price_cents' => 12990, 'items' => []], or 'paid', 'closed', null. Never what a browser says.
function price_of($reference) { return json_decode(file_get_contents(getenv('PIX_ORDERS')), true)[$reference] ?? null; }
function on_paid(string $reference, array $one, bool $is_duplicate): void { // your shop: the only reason to ship. May come twice,
    $line = json_encode([$reference, $one['id'], $one['total'], $is_duplicate]); // or for the price of yesterday
    file_put_contents(getenv('PIX_STATE') . '/payments', "$line\n", FILE_APPEND | LOCK_EX) || throw new Exception('payments');
}
function note(Throwable $error): void { error_log('service_failed ' . $error::class); } // no message: it may hold anything
function encode(string $bytes): string { return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '='); }
function signature(string $secret, string $purpose, string $signed): string {
    $key = hash_hkdf('sha256', $secret, 32, "pix-checkout v1 $purpose " . PUBLIC_URL);
    return encode(hash_hmac('sha256', $signed, $key, true));
}
function sign(string $purpose, int $life_seconds, array $payload): string {
    $signed = 'v1.' . encode(json_encode($payload + ['x' => time() + $life_seconds]));
    return "$signed." . signature(SECRETS[0], $purpose, $signed);
}
function open_token(string $purpose, mixed $token): array {
    if (!is_string($token) || !preg_match('/^(v1\.([\w-]+))\.([\w-]+)\z/', $token, $parts)) return [];
    $is_ours = array_filter(SECRETS, fn ($secret) => hash_equals(signature($secret, $purpose, $parts[1]), $parts[3]));
    $payload = $is_ours ? json_decode(base64_decode(strtr($parts[2], '-_', '+/')), true) : [];
    return ($payload['x'] ?? 0) > time() ? $payload : [];
}
function ask_service(string $path = '', ?array $body = null): array { // follows no redirect: the access token goes nowhere else
    $http = ['header' => ['Authorization: Bearer ' . getenv('PIX_ACCESS_TOKEN'), 'Content-Type: application/json'], 'timeout' => 10,
        'method' => $body ? 'POST' : 'GET', 'content' => $body ? json_encode($body) : '', 'follow_location' => 0, 'ignore_errors' => true];
    $url = rtrim(getenv('PIX_SERVICE_URL'), '/') . "/api/v2/invoices$path";
    $text = @file_get_contents($url, false, stream_context_create(['http' => $http]), 0, 262_144);
    $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
    $data = $status === 200 ? json_decode((string) $text, true)['data'] ?? [] : [];
    $is_whole = preg_match('/^[\w-]{8,64}\z/', $data['invoice_id'] ?? '') && isset($data['status'], $data['total_cents']);
    if (!$is_whole) throw $status === 404 && !$body ? new Problem(404, 'not_found') : new Problem(503, 'service_unavailable');
    return $data;
}
function locked(string $reference, callable $work): mixed { // one request of an order at a time asks the service, and writes
    $path = getenv('PIX_STATE') . '/' . bin2hex($reference) . '.json';
    flock($lock = fopen("$path.lock", 'c'), LOCK_EX) || throw new Exception('lock');
    $text = is_file($path) ? file_get_contents($path) : json_encode(['reference' => $reference, 'invoices' => []]);
    $former = $order = json_decode($text, true, 9, JSON_THROW_ON_ERROR);
    try { return $work($order); } finally { if ($order !== $former) write($path, json_encode($order, SAFE)); }
}
function write(string $path, string $text): void { // all or nothing: an order that is forgotten gets a second code
    $is_whole = fwrite($file = fopen("$path.new", 'w'), $text) === strlen($text) && fsync($file);
    $is_whole && rename("$path.new", $path) && fsync($file) || throw new Exception('state');
}
function seen(array $order, array $one): array { // each field by its name: client, payer and end_to_end_id never leave
    return ['invoice_id' => $one['id'], 'order_code' => $one['order_code'], 'external_id' => $order['reference'],
        'status' => $one['paid'] ? 'paid' : 'pending', 'total_cents' => $one['total'], 'qr_code_pix' => $one['code']];
}
function with_token(array $order, array $one): array {
    $payload = ['i' => $one['id'], 'e' => $order['reference'], 't' => $one['total'], 'm' => 'pix'];
    return seen($order, $one) + ['lookup_token' => sign('lookup', 7 * 86_400, $payload)];
}
function look_up(array &$order, string $id): array { // paid is what this finds, never what a postback or a page says; it stays so
    isset($order['invoices'][$id]) || throw new Exception('the record of this invoice is lost');
    $found = ask_service("/$id");
    $one = &$order['invoices'][$id];
    $status = preg_match('/^(?!.*\d{3})[\w-]{1,40}\z/', $found['status']) ? strtolower($found['status']) : 'unknown';
    $is_ours = [$found['invoice_id'], $found['external_id'], $found['is_pix'] ?? 0] === [$id, $order['reference'], true];
    $mismatch = !$is_ours ? 'reference_mismatch' : ($found['total_cents'] !== $one['total'] ? 'amount_mismatch' : null);
    if ($status === 'paid') $status = $mismatch ?? 'paid';
    if ($status === 'paid' && !$one['paid']) // told before it is recorded: rather twice than never
        on_paid($order['reference'], $one, in_array(true, array_column($order['invoices'], 'paid'), true));
    [$one['looked'], $one['paid']] = [time(), $one['paid'] || $status === 'paid'];
    foreach (['created_at', 'updated_at'] as $name) $more[$name] = substr($found[$name] ?? '', 0, 40);
    if ($one['paid'] && in_array($status, RETURNED, true)) $more['returned'] = true; // the order stays paid
    return ($one['paid'] ? [] : ['status' => $status]) + seen($order, $one) + ['is_pix' => true, 'installments' => 1] + $more;
}
function refuse_if_paid(array $order, array|string $price): void {
    $paid = array_values(array_filter($order['invoices'], fn ($one) => $one['paid']));
    if ($paid || $price === 'paid') throw new Problem(409, 'order_paid', $paid ? ['data' => with_token($order, $paid[0])] : []);
}
function need($is_good, $detail, $status = 400) { $is_good || throw new Problem($status, 'invalid_request', ['detail' => $detail]); }
function create(mixed $body, string $key, string $address): array {
    need(preg_match('/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\z/i', $key), 'Idempotency-Key');
    need(is_array($body) && !array_diff(array_keys($body), FIELDS), 'body');
    [$method, $reference, $payer] = [$body['method'] ?? 0, $body['external_id'] ?? 0, $body['payer'] ?? []];
    need($method === 'pix', 'method'); // cards ask for more: see the contract
    need(is_string($reference) && preg_match('/^[A-Za-z0-9._:-]{1,64}\z/', $reference), 'external_id');
    foreach (is_array($payer) ? $payer : [0] as $name => $text) need(is_string($text) && preg_match(PAYER, "$name=$text"), 'payer');
    if ((open_token('order', $body['order_token'] ?? '')['e'] ?? '') !== $reference) throw new Problem(401, 'unauthorized');
    $price = price_of($reference) ?? throw new Problem(404, 'unknown_order');
    if ($price === 'closed') throw new Problem(409, 'order_closed');
    return locked($reference, function (array &$order) use ($price, $body, $payer, $address) {
        refuse_if_paid($order, $price);
        $total = $price['total_price_cents'];
        if (($body['expected_total_cents'] ?? $total) !== $total) throw new Problem(409, 'amount_mismatch');
        $same = array_values(array_filter($order['invoices'], fn ($one) => $one['total'] === $total));
        if ($same && end($same)['id'] !== ($body['replaces'] ?? '')) return with_token($order, end($same));
        foreach (array_keys($order['invoices']) as $id) look_up($order, $id);
        refuse_if_paid($order, $price);
        $more = ['items' => $price['items'] ?? [], 'payer' => (object) $payer, 'ip_payer' => $address];
        return with_token($order, make($order, $total, $more));
    });
}
function make(array &$order, int $total, array $more): array {
    $recent = array_filter($order['invoices'], fn ($one) => $one['made'] > time() - 3_600);
    if (count($recent) >= 3) throw new Problem(429, 'too_many_requests');
    $more['postback_url'] = PUBLIC_URL . '/postbacks/' . sign('postback', 30 * 86_400, ['e' => $order['reference']]);
    $made = ask_service('', ['method' => 'pix', 'external_id' => $order['reference'], 'total_price_cents' => $total] + $more);
    if ([$made['external_id'], $made['total_cents']] !== [$order['reference'], $total] || empty($made['qr_code_pix']))
        throw new Problem(503, 'service_unavailable'); // no payer has seen that invoice: it harms no one
    $one = ['id' => $made['invoice_id'], 'order_code' => substr($made['order_code'] ?? '', 0, 64), 'code' => $made['qr_code_pix']];
    return $order['invoices'][$one['id']] = $one + ['total' => $total, 'made' => time(), 'looked' => time(), 'paid' => false];
}
function reconcile(string $reference, bool $is_hinted = false): void { // at each tenth of an invoice's age: often, then seldom
    locked($reference, function (array &$order) use ($is_hinted) {
        $is_burst = $is_hinted && time() - ($order['hinted'] ?? 0) < 2; // the rest of a burst is left to the next run
        if ($is_hinted && !$is_burst) $order['hinted'] = time();
        foreach ($order['invoices'] as $id => $one) {
            if ($is_burst) $order['invoices'][$id]['looked'] = 0;
            [$age, $since] = [time() - $one['made'], time() - $one['looked']];
            $is_due = $is_hinted ? !$is_burst : ($age < 8 * 86_400 && $since >= max(15, $age / 10));
            try { $one['paid'] || !$is_due || look_up($order, $id); } catch (Throwable $error) { note($error); }
        }
    });
}
function payer_address(string $peer): string { // behind a web server of this machine: the last one, which that server has seen
    $seen = trim(preg_replace('/.*,/s', '', $_SERVER['HTTP_X_FORWARDED_FOR'] ?? ''));
    return in_array($peer, ['127.0.0.1', '::1'], true) && filter_var($seen, FILTER_VALIDATE_IP) ? $seen : $peer;
}
function route(string $method, bool $is_known): ?array {
    $path = substr(explode('?', $_SERVER['REQUEST_URI'])[0], strlen((string) parse_url(PUBLIC_URL, PHP_URL_PATH)));
    $hinted = open_token('postback', str_replace('/postbacks/', '', $path))['e'] ?? null;
    if ($hinted) return reconcile($hinted, true); // a hint, whatever its body says
    $is_same = !isset($_SERVER['HTTP_ORIGIN']) && ($_SERVER['HTTP_SEC_FETCH_SITE'] ?? '') !== 'cross-site';
    need($is_known || $is_same, 'allowedOrigins', 403);
    if (!preg_match('~^/invoices(?:/([\w-]{8,64}))?\z~', $path, $match)) throw new Problem(404, 'not_found');
    if ($method === 'OPTIONS') return null;
    need($method === (isset($match[1]) ? 'GET' : 'POST'), 'method', 405);
    $token = $_SERVER['HTTP_LOOKUP_TOKEN'] ?? str_replace('Bearer ', '', $_SERVER['HTTP_AUTHORIZATION'] ?? '');
    $of = open_token('lookup', $token);
    if (isset($match[1]) && ($of['i'] ?? '') !== $match[1]) throw new Problem(401, 'unauthorized');
    if (isset($match[1])) return locked($of['e'], fn (array &$order) => look_up($order, $match[1]));
    need(preg_match('~^application/json(;\s*charset=utf-8)?\z~i', $_SERVER['CONTENT_TYPE'] ?? ''), 'Content-Type', 415);
    need(strlen($text = file_get_contents('php://input', false, null, 0, 16_385)) <= 16_384, 'body', 413);
    return create(json_decode($text, true), $_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? '', payer_address($_SERVER['REMOTE_ADDR']));
}
foreach (PHP_SAPI === 'cli' ? glob(getenv('PIX_STATE') . '/*.json') : [] as $path) // one order that fails holds no other up
    try { reconcile(hex2bin(basename($path, '.json'))); } catch (Throwable $error) { note($error); }
if (PHP_SAPI === 'cli') exit;
$is_known = in_array($origin = $_SERVER['HTTP_ORIGIN'] ?? null, explode(' ', getenv('PIX_ALLOWED_ORIGINS')), true);
$asked = $_SERVER['HTTP_ACCESS_CONTROL_REQUEST_HEADERS'] ?? ''; // what traces a page adds its own
$cors = ["Origin: $origin", 'Credentials: true', 'Methods: GET, POST', "Headers: $asked"];
foreach ($is_known ? $cors : [] as $line) header("Access-Control-Allow-$line");
if ($is_known) header('Access-Control-Expose-Headers: Retry-After');
$always = ['Content-Type: application/json', 'Cache-Control: no-store', 'Vary: Origin', 'X-Content-Type-Options: nosniff'];
foreach ($always as $line) header($line);
try {
    $body = ['data' => route($_SERVER['REQUEST_METHOD'], $is_known), 'message' => ''];
} catch (Throwable $error) {
    $problem = $error instanceof Problem ? $error : new Problem(500, 'service_unavailable');
    [$status, $code] = [$problem->status, $problem->name];
    if ($status >= 500) note($error);
    header('Content-Type: application/problem+json', true, $status);
    if ($status === 429 || $status === 503) header('Retry-After: 5');
    $body = ['type' => 'about:blank', 'title' => $code, 'status' => $status, 'code' => $code] + $problem->more;
}
echo json_encode($body, SAFE);
