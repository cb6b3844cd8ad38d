/** A JSON Schema (2020-12) in the document. A schema with a title appears only as a `$ref`. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject;
  readonly additionalProperties?: boolean | SchemaObject;
  readonly [keyword: string]: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description?: string;
  readonly required: boolean;
  readonly schema: SchemaObject;
  readonly example?: unknown;
}

export interface HeaderObject {
  readonly description: string;
  readonly schema: SchemaObject;
}

export interface MediaTypeObject {
  readonly schema: SchemaObject;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

export interface RequestBodyObject {
  readonly description?: string;
  readonly required: true;
  readonly content: Readonly<Record<string, MediaTypeObject>>;
}

export interface OperationObject {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly operationId: string;
  readonly deprecated?: true;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** The operations of one path, by method in lower case. */
export type PathItemObject = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', OperationObject>>>;

/** The part of an OpenAPI 3.1 document that this interface uses. @see https://spec.openapis.org/oas/v3.1.1.html */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItemObject>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: {
      readonly bearer: {
        readonly type: 'http';
        readonly scheme: 'bearer';
        readonly description: string;
        readonly 'x-scopes': Readonly<Record<string, string>>;
      };
      readonly oauth2: {
        readonly type: 'oauth2';
        readonly description: string;
        readonly flows: {
          readonly clientCredentials: {
            readonly tokenUrl: string;
            readonly refreshUrl: string;
            readonly scopes: Readonly<Record<string, string>>;
          };
        };
      };
      readonly session: {
        readonly type: 'apiKey';
        readonly in: 'cookie';
        readonly name: string;
        readonly description: string;
        readonly 'x-scopes': Readonly<Record<string, string>>;
      };
    };
  };
}
