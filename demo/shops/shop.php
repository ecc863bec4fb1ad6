<?php // A shop beside `pix-checkout serve`: PHP 8.1, no extension. GET /orders/1042 is an order's page, POST /order says what it costs
// (PIX_ORDER_URL), POST /events hears of its payment (PIX_EVENTS_URL). php -S 127.0.0.1:8000 shop.php tries it out. The variables have the
// names and values that `serve` has; SHOP_STATE is a folder to write to. Yours to change: ORDERS, hear.
ini_set('display_errors', '0');
const ORDERS = ['1042' => ['title' => 'Café da Serra, 500 g', 'cents' => 12990]]; // your database
class Missing extends Exception {}
class Problem extends Exception { function __construct(public int $status, public mixed $body = null) {} }
function setting(string $name): string { // as a variable, or in the file that NAME_FILE names
    $file = getenv("{$name}_FILE");
    $value = trim((string) ($file ? file_get_contents($file) : getenv($name)));
    return $value !== '' ? $value : throw new Missing("$name is missing: serve prints it, and SHOP_STATE is a folder to write to");
}
function list_of(string $name): array { return preg_split('/\s+/', setting($name)); }
function encode(string $bytes): string { return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '='); }
function order_token(string $reference): string { // src/proxy/door/tokens/README.md
    $key = hash_hkdf('sha256', list_of('PIX_SECRETS')[0], 32, 'pix-checkout v1 order ' . rtrim(setting('PIX_PUBLIC_URL'), '/'));
    $signed = 'v1.' . encode(json_encode(['e' => $reference, 'x' => time() + 86_400]));
    return "$signed." . encode(hash_hmac('sha256', $signed, $key, true));
}
function verified(): array { // Standard Webhooks: over the body as it came, in constant time, five minutes old at most
    $body = file_get_contents('php://input', false, null, 0, 65_537);
    [$id, $time, $signatures] = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $is_ours = false;
    foreach (list_of('PIX_WEBHOOK_SECRETS') as $secret) {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
        if (strlen((string) $key) < 24) throw new Exception('PIX_WEBHOOK_SECRETS'); // with an empty key anyone could sign
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
        foreach (explode(' ', $signatures) as $one) $is_ours = hash_equals($expected, $one) || $is_ours;
    }
    $is_fresh = preg_match('/^\d{1,12}\z/', $time) && abs(time() - (int) $time) <= 300;
    if (!$is_ours || !$is_fresh || $id === '') throw new Problem(401);
    return [$id, json_decode($body, true, 9, JSON_THROW_ON_ERROR)];
}
function events(): mixed { // a table of your database, with a unique id, written in one transaction with the order
    return fopen(setting('SHOP_STATE') . '/events', 'c+') ?: throw new Exception('SHOP_STATE');
}
function heard(mixed $file): array { // a line that was cut off while it was written is none
    $lines = array_map(fn ($line) => json_decode($line, true), explode("\n", stream_get_contents($file, -1, 0)));
    return array_column(array_filter($lines), 'event', 'id');
}
function hear(string $id, array $event): void { // answered 2xx only when it is stored: until then it is told again
    if (!isset($event['type'], $event['data']['external_id'])) throw new Problem(400);
    flock($file = events(), LOCK_EX);
    if (isset(heard($file)[$id])) return; // told again: what it meant was done
    $line = "\n" . json_encode(['id' => $id, 'event' => $event], JSON_THROW_ON_ERROR);
    if (fwrite($file, $line) !== strlen($line) || !fflush($file)) throw new Exception('SHOP_STATE');
}
function is_paid(string $reference): bool { // a second payment, or too little, is for a person to look at
    flock($file = events(), LOCK_SH);
    foreach (heard($file) as ['type' => $type, 'data' => $data])
        if ($type === 'invoice.paid' && $data['external_id'] === $reference && !$data['duplicate']
            && $data['total_cents'] >= ORDERS[$reference]['cents']) return true;
    return false;
}
function price(array $question): array { // the only source of the price: your records, never a browser
    $reference = (string) ($question['external_id'] ?? '');
    $order = ORDERS[$reference] ?? throw new Problem(404, ['order' => null]); // no other 404 says that it is not known
    return is_paid($reference) ? ['status' => 'paid'] : ['total_price_cents' => $order['cents'],
        'items' => [['name' => $order['title'], 'quantity' => 1, 'unit_price' => $order['cents']]]];
}
function page(string $reference): string { // a real shop first checks whose order it is: the token lets its holder see the code
    $order = ORDERS[$reference] ?? throw new Problem(404);
    [$title, $endpoint, $token] = array_map('htmlspecialchars', [$order['title'], setting('PIX_PUBLIC_URL'), order_token($reference)]);
    $checkout = is_paid($reference) ? '<p>Obrigado! O pedido está pago.</p>' : "<pix-checkout
        external-id=\"$reference\" order-token=\"$token\" total-price-cents=\"{$order['cents']}\"></pix-checkout>";
    return "<!doctype html><html lang=\"pt-BR\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">
        <title>$title</title><link rel=\"stylesheet\" href=\"$endpoint/assets/pix-checkout.css\">
        <script type=\"module\" src=\"$endpoint/assets/pix-checkout.min.js\"></script><h1>$title</h1>$checkout</html>";
}
function send(string $type, string $body): void { header("Content-Type: $type"); header('Cache-Control: no-store'); echo $body; }
try {
    [$method, $path] = [$_SERVER['REQUEST_METHOD'], explode('?', $_SERVER['REQUEST_URI'])[0]];
    if ("$method $path" === 'POST /order') send('application/json', json_encode(price(verified()[1])));
    elseif ("$method $path" === 'POST /events') { hear(...verified()); http_response_code(204); }
    elseif ($method === 'GET' && preg_match('~^/orders/([\w.:-]{1,64})\z~', $path, $match)) send('text/html; charset=utf-8', page($match[1]));
    else throw new Problem(404);
} catch (Throwable $error) {
    if (!$error instanceof Problem) error_log('failed: ' . ($error instanceof Missing ? $error->getMessage() : $error::class)); // another message may hold anything
    http_response_code($error instanceof Problem ? $error->status : 500);
    if ($error instanceof Problem && $error->body) send('application/json', json_encode($error->body));
}
