# Temporal's native core needs glibc: no Alpine.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
RUN npm run build
# What runs has no tools of development, the optional packages for models and MCP servers, and Temporal's core for its own
# platform alone.
RUN node -e "const fs = require('node:fs'); const p = JSON.parse(fs.readFileSync('package.json', 'utf8')); \
  for (const name of Object.keys(p.peerDependencies).filter((one) => !one.includes('pglite'))) { \
  p.dependencies[name] = p.devDependencies[name]; delete p.devDependencies[name]; } \
  fs.writeFileSync('package.json', JSON.stringify(p))" && npm prune --omit=dev && \
  find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
# The configuration, and what it may import: the folders of a project that `holdfast init` makes.
COPY . .
RUN mkdir -p graphs tools data

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/console/dist ./console/dist
COPY --from=build /app/holdfast.config.* ./
COPY --from=build /app/tools ./tools
COPY --from=build /app/graphs ./graphs
# The one folder that its user may write to; the rest may be read-only, but for /tmp.
COPY --from=build --chown=node:node /app/data ./data
USER node
EXPOSE 3000
# Node itself, so that it gets the signals that end it.
CMD ["node", "dist/api/server.js"]
