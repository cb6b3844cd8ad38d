import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { setTracer, type OpenSpan, type SpanFacts, type Tracer } from '../../base/trace.ts';
import type { TraceSettings } from '../../config.ts';

/** Longest time that the end of the process waits for the last spans to be sent [ms]. */
const FLUSH_MS = 2_000;
/** `http.request.method` and the like are short; nothing of ours is longer than an identifier. */
const MOST_TEXT = 256;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Exports the traces of this process by OTLP over HTTP. This file is loaded only when the settings name a receiver, since
 * it loads the packages of OpenTelemetry.
 * @returns a function that sends what is left and ends it, within two seconds
 */
export async function exportTraces(settings: TraceSettings, version: string): Promise<() => Promise<void>> {
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': version,
    }).merge(detectResources({ detectors: [resourceAttributesEnvDetector] })),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: MOST_TEXT },
    spanProcessors: [new BatchSpanProcessor({ exporter: await exporterOf(settings) })],
  });
  setTracer(tracerOf(provider, version));
  return async () => {
    setTracer(undefined);
    const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
    context.disable();
  };
}

/** The exporter reads what else the receiver needs, such as certificates, from its own variables. */
async function exporterOf({ url, headers, protocol }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, headers: { ...headers } });
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function tracerOf(provider: TracerProvider, version: string): Tracer {
  const tracer = provider.getTracer('groundwatch', version);
  return {
    begin({ name, kind, facts, parent }) {
      const parentContext = parent === undefined ? context.active() : contextOf(parent);
      const options = { kind: KINDS[kind], ...(facts !== undefined && { attributes: facts }) };
      return openSpan(tracer.startSpan(name, options, parentContext), parentContext);
    },
    current() {
      const span = trace.getActiveSpan();
      return span && headerOf(span);
    },
    record(name, facts, durationMs, failure) {
      // A timer that was started by a call and outlives it is not part of it.
      if (trace.getActiveSpan()?.isRecording() !== true) return;
      const endTime = Date.now();
      const startTime = endTime - durationMs;
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: facts, startTime });
      fail(span, failure);
      span.end(endTime);
    },
  };
}

/** The context below a header. A header that is not one counts as none. */
function contextOf(parent: string | null): Context {
  const known = parent === null ? null : parseTraceParent(parent);
  return known === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...known, isRemote: true });
}

function openSpan(span: Span, parentContext: Context): OpenSpan {
  const within = trace.setSpan(parentContext, span);
  return {
    traceparent: headerOf(span),
    run: (work) => context.with(within, work),
    note: (facts: SpanFacts, name?: string) => {
      span.setAttributes(facts);
      if (name !== undefined) span.updateName(name);
    },
    end: (failure) => {
      fail(span, failure);
      span.end();
    },
  };
}

function fail(span: Span, failure: string | undefined): void {
  if (failure === undefined) return;
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', failure);
}

/** @see W3C Trace Context, section 3.2 */
function headerOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
