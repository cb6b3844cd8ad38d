# syntax=docker/dockerfile:1
# For several architectures: docker buildx build --platform linux/amd64,linux/arm64 --tag groundwatch .
# The build runs once, on the builder's own platform: nothing that it makes has machine code.
# It needs a PostgreSQL of its own beside it: the built-in one is left out (deploy/compose.yaml).
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE /build/NOTICE /build/openapi.json ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/data ./data
COPY --from=build /build/docs ./docs
COPY --from=build /build/web/dist ./web/dist
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
RUN install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production GROUNDWATCH_DATA=/data GROUNDWATCH_HOST=0.0.0.0
USER 1000:1000
VOLUME /data
EXPOSE 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/app/bin/health.js"]
ENTRYPOINT ["node", "/app/bin/groundwatch.js"]
CMD ["serve"]
