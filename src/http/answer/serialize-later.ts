import type { FastifyInstance, FastifySerializerCompiler } from 'fastify';

/** Functions that write answers, by the schema of the answer. Schemas are constants, so this does not grow. */
const compiled = new WeakMap<object, (answer: unknown) => string>();

/**
 * Compiles the schema of an answer when the first answer of its kind is written, and once for all operations that share
 * it. A service has some hundreds of schemas, and to compile all of them took a fifth of the time of its start. The app
 * must have a route with a schema but without this, for which the framework makes the compiler.
 */
export function serializeLater(app: FastifyInstance): FastifySerializerCompiler<object> {
  return (route) => (answer) => {
    let serialize = compiled.get(route.schema);
    if (serialize === undefined) {
      serialize = app.serializerCompiler!(route);
      compiled.set(route.schema, serialize);
    }
    return serialize(answer);
  };
}
