-- Times are Unix milliseconds, 0 where there is none; flags are 0 or 1.

-- A number is never used again: it is the upper half of its chunks' ids, and what
-- refers to a deleted library's chunk must not find another library's.
CREATE TABLE libraries (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  title       TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  start_url   TEXT    NOT NULL DEFAULT '',
  scope       TEXT    NOT NULL DEFAULT '',
  max_pages   INTEGER NOT NULL DEFAULT 0,
  auto_inject INTEGER NOT NULL DEFAULT 0,
  nightly     INTEGER NOT NULL DEFAULT 0,
  archived    INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  checked_at  INTEGER NOT NULL DEFAULT 0,
  next_chunk  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A page's chunks have the ids first_chunk … first_chunk + chunks - 1. The text comes
-- last, so that reading the other columns leaves its overflow pages alone.
CREATE TABLE pages (
  id          INTEGER PRIMARY KEY,
  library     INTEGER NOT NULL REFERENCES libraries,
  url         TEXT    NOT NULL,
  title       TEXT    NOT NULL,
  lang        TEXT    NOT NULL,
  digest      TEXT    NOT NULL,
  changed_at  INTEGER NOT NULL,
  first_chunk INTEGER NOT NULL,
  chunks      INTEGER NOT NULL,
  markdown    TEXT    NOT NULL,
  UNIQUE (library, url)
) STRICT;

-- Answers what a library holds without touching a page.
CREATE INDEX pages_summary ON pages (library, lang, chunks);

-- What the latest look at a page found, apart from the page, which an unchanged
-- answer leaves alone. gone_job is the job that set gone_since: only another one
-- may take the page out of the answers.
CREATE TABLE visits (
  page          INTEGER PRIMARY KEY REFERENCES pages ON DELETE CASCADE,
  etag          TEXT    NOT NULL DEFAULT '',
  last_modified TEXT    NOT NULL DEFAULT '',
  checked_at    INTEGER NOT NULL,
  gone_since    INTEGER NOT NULL DEFAULT 0,
  gone_job      INTEGER NOT NULL DEFAULT 0,
  gone          INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX visits_gone ON visits (page) WHERE gone = 1;

-- id is the library's number << 32 | a sequence number that is not used again either.
-- page has no foreign key: without an index, which the id ranges make needless, the
-- check would read every chunk for each page that is deleted.
CREATE TABLE chunks (
  id         INTEGER PRIMARY KEY,
  page       INTEGER NOT NULL,
  ordinal    INTEGER NOT NULL,
  path       TEXT    NOT NULL, -- JSON array
  anchor     TEXT    NOT NULL,
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  text       TEXT    NOT NULL
) STRICT;

-- The words of the chunks of pages that are not gone, folded before they come here.
-- The tokenizer splits at spaces and control characters and nowhere else, so that
-- every folded term is one token: no question can become a phrase.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  head, body,
  content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~""'''"
);

-- One row. purge_owed says that words of something deleted may still stand in the
-- keyword index's old segments.
CREATE TABLE keyword_index (
  fold_version INTEGER NOT NULL,
  purge_owed   INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO keyword_index (fold_version) VALUES (0);

-- The journal. library is an id, not a number: a job may be refused before its
-- library exists.
CREATE TABLE jobs (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  library     TEXT    NOT NULL,
  title       TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  start_url   TEXT    NOT NULL,
  scope       TEXT    NOT NULL,
  max_pages   INTEGER NOT NULL,
  robots      INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  reason      TEXT    NOT NULL DEFAULT '',
  code        TEXT    NOT NULL DEFAULT '',
  reply_to    TEXT    NOT NULL,
  announced   INTEGER NOT NULL DEFAULT 0,
  asked_by    TEXT    NOT NULL,
  owner       TEXT    NOT NULL,
  lease_until INTEGER NOT NULL,
  started_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL DEFAULT 0,
  new         INTEGER NOT NULL DEFAULT 0,
  changed     INTEGER NOT NULL DEFAULT 0,
  unchanged   INTEGER NOT NULL DEFAULT 0,
  excluded    INTEGER NOT NULL DEFAULT 0,
  redirects   INTEGER NOT NULL DEFAULT 0,
  gone_pages  INTEGER NOT NULL DEFAULT 0,
  failures    INTEGER NOT NULL DEFAULT 0,
  skipped     INTEGER NOT NULL DEFAULT 0,
  discovered  INTEGER NOT NULL DEFAULT 0,
  chunks      INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX jobs_running ON jobs (library) WHERE state = 'running';
CREATE INDEX jobs_library ON jobs (library, id);

-- One line for each address that a job knows. outcome is empty while it is pending.
CREATE TABLE job_pages (
  job     INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
  url     TEXT    NOT NULL,
  depth   INTEGER NOT NULL,
  outcome TEXT    NOT NULL DEFAULT '',
  code    TEXT    NOT NULL DEFAULT '',
  reason  TEXT    NOT NULL DEFAULT '',
  at      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  id           INTEGER PRIMARY KEY,
  conversation TEXT    NOT NULL,
  actor        TEXT    NOT NULL,
  question     TEXT    NOT NULL,
  outcome      TEXT    NOT NULL,
  passages     TEXT    NOT NULL, -- JSON array of citations
  at           INTEGER NOT NULL,
  latency      INTEGER NOT NULL -- milliseconds
) STRICT;

CREATE INDEX turns_conversation ON turns (conversation, id);

CREATE TABLE seen (
  key TEXT    NOT NULL PRIMARY KEY,
  at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE confirmations (
  code         TEXT    NOT NULL PRIMARY KEY,
  actor        TEXT    NOT NULL,
  conversation TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  expires      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  key   TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
