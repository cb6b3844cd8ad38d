import { Type, type Static } from 'typebox';

/** All pairs of HTTP status and error code that an answer under `/v1` can have. */
export const ERROR_CODES = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  500: 'server_error',
} as const;

export type ErrorStatus = keyof typeof ERROR_CODES;

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.values(ERROR_CODES)),
      message: Type.String({ description: 'What was wrong, what was expected and what came.' }),
      param: Type.Optional(Type.String({ description: 'The field at fault, such as `locations[17].lat`.' })),
      details: Type.Optional(
        Type.Array(Type.Object({ param: Type.String(), message: Type.String() }), {
          description: 'Every field at fault (the first 100).',
        }),
      ),
      request_id: Type.String(),
    }),
  },
  { title: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;
