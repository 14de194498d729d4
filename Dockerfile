# Two images from one build, both for an ordinary user:
#   docker build --target cli -t tether-cli .   the command line, on a folder of manifests: docs/pipelines.md
#   docker build -t tether .                    the embedded service: docker run -p 8080:8080 tether
# Tag and digest of the base image belong together; the digest decides.
FROM node:22.23.3-alpine3.24@sha256:0a7108bf6c7bf5de370ffb1a3ed6be93d405b43ff159f681a8d18c0e2bc2e402 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22.23.3-alpine3.24@sha256:0a7108bf6c7bf5de370ffb1a3ed6be93d405b43ff159f681a8d18c0e2bc2e402 AS program
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/profiles ./profiles
COPY --from=build /build/schemas ./schemas
COPY --from=build /build/examples/demo-seed.yaml ./examples/
COPY --from=build /build/forge ./forge
COPY --from=build /build/dist ./dist
RUN rm -rf dist/test dist/tools dist/bench \
  && chmod +x dist/cli/main.js \
  && ln -s /app/dist/cli/main.js /usr/local/bin/tether

# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" --env TETHER_ADDRESS --env TETHER_TOKEN tether-cli plan
FROM program AS cli
# For --ledger git and the scripts in forge/: whatever the base image's release has by now, fixes included.
RUN apk add --no-cache bash git
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["tether"]

# Everybody who can reach the port and knows a token can use the service; the admin port is not opened.
FROM program AS service
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=2s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tether", "serve", "--host", "0.0.0.0", "--port", "8080", "--data", "/data/service.json"]
