/** A small installation of Gitea, made by hand: its tables are those of `gitea.sql`. */
import { execFileSync } from "node:child_process"
import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import pg from "pg"

export const SECRET_KEY = "the key of the old server"

type Value = string | number | null | Uint8Array

export interface Gitea {
  readonly folder: string
  /** Writes a row. */
  readonly add: (table: string, row: Readonly<Record<string, Value>>) => void
  /** Runs a statement. */
  readonly run: (sql: string, ...values: Value[]) => void
  /** Writes a file below the folder. */
  readonly file: (path: string, content: string | Uint8Array) => void
  /** Runs git in the bare repository of this name. */
  readonly git: (repository: string, ...args: string[]) => string
  /** A bare repository with a commit for each text on main; gives their ids. */
  readonly repository: (name: string, texts: readonly string[]) => readonly string[]
  /** Copies its tables into an empty PostgreSQL. */
  readonly intoPostgres: (url: string) => Promise<void>
  /** Every file below the folder with its digest. */
  readonly contents: () => Promise<Readonly<Record<string, string>>>
  readonly close: () => Promise<void>
}

const INI = `
APP_NAME = old
WORK_PATH = /srv/gitea ; where it was
[server]
ROOT_URL = "https://old.example.org/"
[database]
DB_TYPE = sqlite3
PATH = /srv/gitea/data/gitea.db
[repository]
ROOT = /srv/gitea/repos
[security]
SECRET_KEY = ${SECRET_KEY}
`

/** What is written in another way for PostgreSQL. */
const AS_POSTGRES: readonly (readonly [RegExp, string])[] = [
  [/INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL/g, "bigserial primary key"],
  [/ deleted INTEGER DEFAULT 0 NOT NULL/g, " deleted boolean"],
  [/ (is_\w+|confidential_client) INTEGER( NULL| NOT NULL| DEFAULT (?:0|1|TRUE|FALSE) NOT NULL)?/g, " $1 boolean"],
  [/INTEGER/g, "bigint"],
  [/BLOB/g, "bytea"],
  [/DATETIME/g, "timestamp"],
  [/DEFAULT FALSE/g, "DEFAULT 0"],
  [/DEFAULT TRUE/g, "DEFAULT 1"],
]

/** Makes one without accounts. */
export async function makeGitea(): Promise<Gitea> {
  const folder = await mkdtemp(join(tmpdir(), "gitea-"))
  for (const name of ["conf", "data", "repos"]) await mkdir(join(folder, name))
  writeFileSync(join(folder, "conf", "app.ini"), INI)
  const db = new DatabaseSync(join(folder, "data", "gitea.db"))
  const tables = readFileSync(fileURLToPath(new URL("gitea.sql", import.meta.url)), "utf8")
  db.exec(tables)
  db.exec("insert into version (version) values (343)")
  const file = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  }
  const git = (repository: string, ...args: string[]) =>
    execFileSync("git", ["-C", join(folder, "repos", `${repository}.git`), ...args], { env, encoding: "utf8" }).trim()

  return {
    folder,
    file,
    git,
    add(table, row) {
      const columns = Object.keys(row)
      const names = columns.map((column) => `"${column}"`).join(", ")
      db.prepare(`insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`).run(...Object.values(row))
    },
    run: (sql, ...values) => void db.prepare(sql).run(...values),
    repository(name, texts) {
      const path = join(folder, "repos", `${name}.git`)
      execFileSync("git", ["init", "-q", "--bare", "-b", "main", path], { env })
      let parent: string | undefined
      return texts.map((text) => {
        const blob = execFileSync("git", ["-C", path, "hash-object", "-w", "--stdin"], { env, input: text, encoding: "utf8" }).trim()
        const tree = execFileSync("git", ["-C", path, "mktree"], {
          env,
          input: `100644 blob ${blob}\tREADME.md\n`,
          encoding: "utf8",
        }).trim()
        parent = git(name, "commit-tree", tree, "-m", text, ...(parent === undefined ? [] : ["-p", parent]))
        git(name, "update-ref", "refs/heads/main", parent)
        return parent
      })
    },
    async intoPostgres(url) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(AS_POSTGRES.reduce((text, [from, to]) => text.replace(from, to), tables))
      for (const { name } of db
        .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
        .all())
        for (const row of db.prepare(`select * from "${name}"`).all()) {
          const columns = Object.keys(row)
          const places = columns.map((_, index) => `$${index + 1}`).join(", ")
          await client.query(
            `insert into "${name}" (${columns.map((column) => `"${column}"`).join(", ")}) values (${places})`,
            Object.values(row),
          )
        }
      await client.end()
    },
    async contents() {
      const found: Record<string, string> = {}
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
        if (entry.isFile()) {
          const path = join(entry.parentPath, entry.name)
          found[path] = createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        }
      return found
    },
    async close() {
      db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The digest that it keeps of a token. */
export const tokenHash = (token: string, salt: string): string => pbkdf2Sync(token, salt, 10_000, 50, "sha256").toString("hex")

function sealedBy(algorithm: "md5" | "sha256", cipher: "aes-128-cfb" | "aes-256-cfb", text: string): Buffer {
  const iv = randomBytes(16)
  const key = createHash(algorithm).update(SECRET_KEY).digest()
  const sealing = createCipheriv(cipher, key, iv)
  return Buffer.concat([iv, sealing.update(Buffer.from(text).toString("base64")), sealing.final()])
}

/** A secret of actions or a header as it is sealed there. */
export const sealedText = (text: string): string => sealedBy("sha256", "aes-256-cfb", text).toString("hex")
/** A secret of two-factor authentication. */
export const sealedTotp = (secret: string): string => sealedBy("md5", "aes-128-cfb", secret).toString("base64")
