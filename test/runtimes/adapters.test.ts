/** The listener behind adapters of serverless platforms, and behind what tests of shops inject with, as npm installs them. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RequestListener } from 'node:http';
import { beforeAll, describe, it } from 'vitest';
import { host, payThrough } from '../support/proxy/pay-through.js';
import type { Answered, Ask, Send } from '../support/proxy/pay-through.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { folder, installRuntimes, whyLeftOut } from './install.js';

type Invoke = (event: object, context: object) => Promise<LambdaAnswer>;
type Inject = (ask: object) => Promise<{ statusCode: number; headers: object; payload: string }>;

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers?: object;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** An event as a gateway makes it of a request. */
type ToEvent = (ask: Ask) => object;

const address = '203.0.113.9';

const events: Readonly<Record<string, ToEvent>> = {
  'API Gateway (1)': ({ method, path, headers, body }) => ({
    ...toParts(path),
    httpMethod: method,
    headers: { Host: host, ...headers },
    multiValueHeaders: toLists({ Host: host, ...headers }),
    requestContext: { identity: { sourceIp: address }, httpMethod: method },
    ...toBody(body),
  }),
  'API Gateway (2), function URL': ({ method, path, headers, body }) => {
    const { cookie, ...others } = headers;
    const [rawPath, rawQueryString = ''] = path.split('?');
    return {
      version: '2.0',
      rawPath,
      rawQueryString,
      queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)),
      headers: { host, ...others },
      cookies: cookie?.split('; '),
      requestContext: { http: { method, path: rawPath, sourceIp: address } },
      ...toBody(body),
    };
  },
  'a load balancer': ({ method, path, headers, body }) => ({
    ...toParts(path),
    httpMethod: method,
    headers: { host, ...headers },
    requestContext: { elb: { targetGroupArn: 'arn' }, identity: {} },
    ...toBody(body),
  }),
};

describe('the listener is paid through', leftOutIf(whyLeftOut), () => {
  beforeAll(installRuntimes);
  const load = (name: string) => createRequire(join(folder, 'package.json'))(name);

  const lambdas: Readonly<Record<string, (listener: RequestListener) => Invoke>> = {
    'serverless-http': (listener) => load('serverless-http')(listener),
    '@codegenie/serverless-express': (app) => load('@codegenie/serverless-express')({ app }),
  };
  for (const [name, toInvoke] of Object.entries(lambdas)) {
    for (const [gateway, toEvent] of Object.entries(events)) {
      it(`${name}, ${gateway}`, () =>
        payThrough((listener) => overLambda(toInvoke(listener), toEvent)));
    }
  }

  it('light-my-request', () =>
    payThrough((listener) => overInject((ask) => load('light-my-request')(listener, ask))));

  it('fastify.inject', (t) =>
    payThrough((listener) => {
      const app = load('fastify')();
      t.onTestFinished(() => app.close());
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', (_request: object, _body: object, done: (no: null) => void) =>
        done(null),
      );
      app.all('/pay/*', (request: { raw: never }, reply: { raw: never; hijack(): void }) => {
        reply.hijack();
        listener(request.raw, reply.raw);
      });
      return overInject((ask) => app.inject(ask));
    }));
});

function overLambda(invoke: Invoke, toEvent: ToEvent): Send {
  return async (ask) => {
    const answer = await invoke(toEvent(ask), {});
    const { statusCode: status, headers, multiValueHeaders = {}, body, isBase64Encoded } = answer;
    const text = isBase64Encoded === true ? Buffer.from(body, 'base64').toString() : body;
    const several = Object.entries(multiValueHeaders).map(([name, list]) => [
      name,
      list.join(', '),
    ]);
    return toAnswered(status, { ...Object.fromEntries(several), ...headers }, text);
  };
}

function overInject(inject: Inject): Send {
  return async ({ method, path: url, headers, body: payload }) => {
    const answer = await inject({ method, url, headers: { host, ...headers }, payload });
    return toAnswered(answer.statusCode, answer.headers, answer.payload);
  };
}

function toAnswered(status: number, headers: object, body: string): Answered {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { status, headers: Object.fromEntries(named), body };
}

/** Gateways hand bodies out in base64 where a type is said to be binary. */
function toBody(body = ''): object {
  return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

function toParts(whole: string): object {
  const [path, query] = whole.split('?');
  const queryStringParameters = Object.fromEntries(new URLSearchParams(query));
  return {
    path,
    queryStringParameters,
    multiValueQueryStringParameters: toLists(queryStringParameters),
  };
}

function toLists(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}
