import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registeredQueries } from "../../src/core/database/query.ts"
// Loads everything that declares a query.
import "../../src/app.ts"
import "../../src/servers/runner/connect.ts"
// Loaded at their first use.
import "../../src/features/events/stream/answer.ts"
import "../../src/features/site/backups/backup.ts"
import "../../src/features/site/copies/store.ts"
import "../../src/features/site/migration/import.ts"
import "../../src/features/site/repeats/store.ts"
import "../../src/features/review/queue/store.ts"
import "../../src/features/site/takeover/store.ts"
// For pages, which are loaded at their first use too.
import "../../src/files.ts"
import "../../src/pages.ts"
import "../../src/servers/web/routes.ts"
import "../../src/features/code/history/graph.ts"
import "../../src/features/review/pulls/period.ts"
import "../../src/features/review/stacks/store.ts"
// For a task.
import "../../src/features/people/sign-in/credentials/expiry-store.ts"
import { operations } from "../../src/operations.ts"
import { expectGolden } from "./files.ts"
import { openPlans, type Plans } from "./plans.ts"
import { onBoth } from "./readable.ts"

/** Prepared queries that are allowed to scan a table, each with the reason. */
const MAY_SCAN: Readonly<Record<string, string>> = {
  "backups.findLastEvents": "the newest events of all, up to a limit",
  "backups.listAdministrators": "only when a backup has failed",
  "backups.listRepositories": "a backup takes all repositories",
  "backups.listWikis": "a backup takes all wikis",
  "activity.forgetOld": "runs on demand only, and finds the oldest first",
  "announcements.find": "read into memory when one changes; an administrator writes few",
  "codeSearch.doubtIndexes": "runs on demand only: an administrator has all indexes compared with git",
  "jobs.count": "the figures count all jobs; those that have ended are removed after a while",
  "merge.findScheduledIds": "it looks at all merges that wait, which are few",
  "queue.findBusy": "it looks at all pull requests that have lined up, which are few",
  "jobs.findNextWaiting": "it walks the index of unfinished jobs by their time and stops at the first",
  "packs.count": "by a command, once all stored repositories have been removed",
  "repositories.count": "by a start that is refused, or that finds none",
  "storedRepositories.findOrphans": "a task of the night compares all stored repositories with all rows",
}

const featureOf = (name: string): string => name.split(".", 1)[0] ?? name

describe("the prepared queries", () => {
  let plans: Plans
  beforeAll(async () => {
    plans = await openPlans()
  })
  afterAll(() => plans.close())

  it("are there: the features that make them are loaded", () => {
    expect(operations.length).toBeGreaterThan(100)
    expect(registeredQueries().length).toBeGreaterThan(50)
  })

  it("are as they were read in review", async () => {
    const texts = new Map<string, string>()
    for (const { name, sqlite, postgres } of registeredQueries())
      texts.set(featureOf(name), `${texts.get(featureOf(name)) ?? ""}\n-- ${name}\n${onBoth({ sqlite, postgres })};\n`)
    await expectGolden("prepared", texts)
  })

  it("find what they look for by an index", () => {
    const found = registeredQueries().flatMap(({ name, sqlite }) =>
      plans.scans(sqlite).map((table) => `${name} reads the whole of ${table}`),
    )
    const excepted = (line: string) => Object.keys(MAY_SCAN).some((name) => line.startsWith(`${name} `))
    expect(found.filter((line) => !excepted(line))).toEqual([])
    // An exception that is no longer needed would hide the next mistake.
    expect(Object.keys(MAY_SCAN).filter((name) => !found.some((line) => line.startsWith(`${name} `)))).toEqual([])
  })
})
