import type { Granted } from '../../net/guarded-reader.ts';
import { InvalidInput, NotFound, type Problem, UpstreamUnavailable } from '../../base/errors.ts';

/** A call of the process that reads files. */
export interface Request {
  readonly id: number;
  readonly call: string;
  readonly args: readonly unknown[];
}

/** Note that the arrays of an answer were taken out of the exchange file. */
export interface Taken {
  readonly taken: number;
}

/** First message to the process: what it needs to know. */
export interface Setup {
  /** Descriptor of the exchange file in the process. */
  readonly exchange: number;
  /** Networks that are not public and may be read. */
  readonly allow: readonly string[];
  readonly extraCa: string | undefined;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Whether the process asks for the credentials of its requests. */
  readonly hasAccess: boolean;
}

/** Question of the process: the credentials of a request, and those for it that a server has refused. */
export interface Asked {
  readonly asked: { readonly id: number; readonly url: string; readonly refused?: Granted | undefined };
}

/** Answer to it. */
export interface Answered {
  readonly answered:
    | { readonly id: number; readonly granted: Granted | undefined }
    | { readonly id: number; readonly error: WireError };
}

/** An array of an answer that stands in the exchange file, and its place in the answer. */
export interface ShippedArray {
  readonly path: readonly (string | number)[];
  readonly kind: ArrayKind;
  readonly at: number;
  readonly length: number;
}

/** An error of a call. */
export interface WireError {
  readonly kind: 'invalid' | 'missing' | 'upstream' | 'system' | 'other';
  readonly message: string;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly details: readonly Problem[];
  readonly stack: string | undefined;
}

/** Answer to a request. */
export type Reply =
  | { readonly id: number; readonly value: unknown; readonly arrays: readonly ShippedArray[] }
  | { readonly id: number; readonly error: WireError };

/** Sign of life of the process, sent while it works: its event loop turns. */
export interface Beat {
  readonly beat: { readonly cpuMs: number; readonly rssBytes: number };
}

/** The typed arrays of samples. */
export const ARRAYS = {
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
} as const;
export type ArrayKind = keyof typeof ARRAYS;
export type SampleArray = InstanceType<(typeof ARRAYS)[ArrayKind]>;

const LONGEST_MESSAGE = 4000; // maximum length of a message [characters]; it may quote the file
const MOST_DETAILS = 100;

/** Describes an error, without what cannot be sent. */
export function encodeError(error: unknown): WireError {
  const { message, stack, code } = error as NodeJS.ErrnoException;
  const isInput = error instanceof InvalidInput;
  return {
    kind: isInput
      ? 'invalid'
      : error instanceof NotFound
        ? 'missing'
        : error instanceof UpstreamUnavailable
          ? 'upstream'
          : typeof code === 'string' && /^E[A-Z0-9]+$/.test(code)
            ? 'system'
            : 'other',
    message: message.slice(0, LONGEST_MESSAGE),
    code,
    param: isInput ? error.param : undefined,
    details: isInput
      ? error.details.slice(0, MOST_DETAILS).map(({ param, message: said }) => ({
          param: param.slice(0, LONGEST_MESSAGE),
          message: said.slice(0, LONGEST_MESSAGE),
        }))
      : [],
    stack: stack?.slice(0, LONGEST_MESSAGE),
  };
}

/**
 * The error that the caller gets. An error that no code expected means that the file is damaged in a way that no
 * check knows.
 * @param what the file that was read
 */
export function decodeError({ kind, message, code, param, details, stack }: WireError, what: string): Error {
  if (kind === 'invalid')
    return new InvalidInput(message, { ...(param !== undefined && { param }), details });
  if (kind === 'missing') return new NotFound(message);
  if (kind === 'upstream') return new UpstreamUnavailable(message);
  if (kind === 'system') return Object.assign(new Error(message), { code });
  return new InvalidInput(`${what} cannot be read: ${message}`, { cause: new Error(stack ?? message) });
}
