import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** The full text of issues and comments. Triggers keep it up to date, so that no write can forget it. */
export const search = { id: 3, name: "search", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of types.kind === "sqlite" ? sqlite : postgres) await sql.raw(statement).execute(db)
}

/**
 * A full-text index without the texts, which are in their own tables. Its rows are numbered from both: twice the id of an issue, and
 * twice the id of a comment and one. Letters with marks are letters of their own, as on PostgreSQL.
 */
const sqlite = [
  `create virtual table issue_words using fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`,
  `create trigger issue_words_of_new_issue after insert on issues begin
    insert into issue_words (rowid, words) values (new.id * 2, new.title || ' ' || new.content);
  end`,
  `create trigger issue_words_of_issue after update of title, content on issues begin
    update issue_words set words = new.title || ' ' || new.content where rowid = new.id * 2;
  end`,
  `create trigger issue_words_of_old_issue after delete on issues begin
    delete from issue_words where rowid = old.id * 2;
  end`,
  `create trigger issue_words_of_new_comment after insert on comments when new.kind = 'comment' begin
    insert into issue_words (rowid, words) values (new.id * 2 + 1, new.content);
  end`,
  `create trigger issue_words_of_comment after update of content on comments when new.kind = 'comment' begin
    update issue_words set words = new.content where rowid = new.id * 2 + 1;
  end`,
  `create trigger issue_words_of_old_comment after delete on comments when old.kind = 'comment' begin
    delete from issue_words where rowid = old.id * 2 + 1;
  end`,
]

/**
 * Indexes on expressions. Texts are taken apart into runs of letters and digits first, since PostgreSQL's own reading of host names, numbers
 * and hyphens would find other words than SQLite does. Of very long texts only the beginning is indexed: an entry holds at most a megabyte.
 */
const postgres = [
  `create function search_words(value text) returns tsvector language sql immutable parallel safe return
    to_tsvector('simple'::regconfig, regexp_replace(lower(left(value, 200000) collate "und-x-icu"), '[^[:alnum:]]+', ' ', 'g'))`,
  `create function sought_words(value text) returns tsquery language sql immutable parallel safe return
    to_tsquery('simple'::regconfig, lower(value collate "und-x-icu"))`,
  `create index issues_words on issues using gin (search_words(title || ' ' || content))`,
  `create index comments_words on comments using gin (search_words(content)) where kind = 'comment'`,
]
