# The command `ghostfleet` as an image. The workflow builds it; `npm run deploy:check` runs the program with its rights.

# Packages that the program needs. better-sqlite3 is compiled where no binary of it can be fetched: this image has a compiler.
FROM node:24-bookworm AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && npm rebuild better-sqlite3

FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY profiles profiles
COPY scripts scripts
COPY web web
RUN npm run build

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
# Half of these threads look up names: two names of targets of connectors at a time, and that of the database.
ENV UV_THREADPOOL_SIZE=8
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY docs docs
COPY profiles profiles
COPY scenarios scenarios
COPY templates templates
COPY wireshark wireshark
# The user "node" of the image by number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080/tcp 5002/udp 5003/udp
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["--help"]
