# Temporal's native core needs glibc: no Alpine.
FROM node:20-bookworm-slim
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY tsconfig.json holdfast.config.ts ./
COPY src ./src
COPY graphs ./graphs
USER node
EXPOSE 3000
# Node itself, so that it gets the signals that end it.
CMD ["node", "--import", "tsx", "src/api/server.ts"]
