/** Holds the tests that run on both databases against both-databases.ts: a part of `npm run check`. Prints a line for each that is not as said there. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { BOTH_DATABASES } from "./both-databases.ts"

/** What a file names that runs its tests on both databases, or on PostgreSQL. */
const NAMES = /\bdatabaseKinds\b|Database\("postgres"|Hearth\("postgres"|freshUrl\("postgres"/

/** Sentences about test files, given with their texts by path, that run on both databases without a reason, or have a reason and don't. */
export function unreasoned(files: ReadonlyMap<string, string>, reasons: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const reasoned = new Set(Object.values(reasons).flat())
  const both = new Set([...files].flatMap(([path, text]) => (NAMES.test(text) ? [path] : [])))
  return [
    ...[...both]
      .filter((path) => !reasoned.has(path))
      .map(
        (path) =>
          `${path} runs on both databases: leave it on SQLite, or name it in tests/structure/both-databases.ts under the reason why they can differ there.`,
      ),
    ...[...reasoned]
      .filter((path) => !both.has(path))
      .map((path) => `tests/structure/both-databases.ts names ${path}, which does not run on both databases: take it out.`),
  ]
}

if (import.meta.main) {
  const home = join(import.meta.dirname, "../..")
  const tests = ["src", "tests"].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(folder, name)),
  )
  const found = unreasoned(new Map(tests.map((path) => [path, readFileSync(join(home, path), "utf8")])), BOTH_DATABASES)
  for (const sentence of found) console.error(sentence)
  if (found.length > 0) process.exitCode = 1
}
