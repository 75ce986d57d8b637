# go-sqlite3 needs cgo, and its FTS5 needs the tag.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=1 go build -tags sqlite_fts5 -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /footnote .

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tzdata && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data footnote && install -d -o footnote /data
COPY --from=build /footnote /usr/local/bin/footnote
COPY LICENSE NOTICE /usr/share/doc/footnote/
USER footnote
ENV FOOTNOTE_DATA_DIR=/data
VOLUME /data
ENTRYPOINT ["footnote"]
CMD ["serve"]
