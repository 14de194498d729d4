# The embedded service in a container: docker build -t tether . && docker run -p 8080:8080 tether
# Everybody who can reach the port and knows a token can use the service; the admin port is not opened.
FROM node:22-alpine AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npx tsc -p tsconfig.json && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-alpine
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/profiles ./profiles
COPY --from=build /build/schemas ./schemas
COPY --from=build /build/examples/demo-seed.yaml ./examples/
COPY --from=build /build/dist ./dist
RUN rm -rf dist/test dist/tools dist/bench && mkdir /data && chown node:node /data
USER node
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=2s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js", "serve", "--host", "0.0.0.0", "--port", "8080", "--data", "/data/service.json"]
