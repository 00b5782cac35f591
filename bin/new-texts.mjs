// The texts that bin/new.mjs begins with, by the path of their file; the test comes last.

export const operation = ({ folder, name, words, title, one, version }) => ({
  [`${folder}/operations.ts`]: `import { onRepository } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"

const shared = { tag: "repository", scope: ["repository"], access: onRepository } as const

/** To be said: what these are about. */
export const ${one}Operations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoGet${title}",
    since: "${version}",
    route: "GET /repos/{owner}/{repo}/${name}",
    summary: "List the ${words} of a repository",
    description: "To be said: in which order, and what is left out.",
    answers: { 200: Type.Array(Type.String()) },
    refuses: ["notFound"],
    handle: () => ok([]),
  }),
]
`,
  [`${folder}/operations.test.ts`]: `import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"

withHearth("${words} of a repository", { people: ["ann", "ben"] }, ({ test, call, status, ann, ben }) => {
  test("are none at first", async () => {
    await call(ann, "POST /user/repos", { name: "open" })
    expect(await call(ben, "GET /repos/ann/open/${name}")).toMatchObject({ status: 200, body: [] })
  })

  test("are hidden with the repository", async () => {
    await call(ann, "POST /user/repos", { name: "closed", private: true })
    expect(await status(ben, "GET /repos/ann/closed/${name}")).toBe(404)
  })
})
`,
})

/** A page of a repository has its frame; elsewhere it begins on its own. */
export const page = ({ file, name, words, one }) => {
  const title = words[0].toUpperCase() + words.slice(1)
  const up = "../".repeat(file.split("/").length - 2)
  return file.startsWith("src/pages/repository/")
    ? pageOfRepository({ file, name, words, one, title, up })
    : pageAlone({ file, name, words, one, title, up })
}

const pageOfRepository = ({ file, name, words, one, title, up }) => ({
  [`${file}.ts`]: `import { onRepository } from "${up}access/policies/repositories.ts"
import { html } from "${up}core/html.ts"
import { type Page, page } from "${up}core/page.ts"
import { repositoryPage } from "${up}pages/repository/frame.ts"

/** To be said: what these show. */
export const ${one}Pages: readonly Page[] = [
  page({
    id: "repository.${camelOf(name)}",
    address: "GET /{owner}/{repo}/-/${name}",
    access: onRepository,
    answer: async (call) => repositoryPage(call, { tab: undefined, title: "${title}", body: html\`<h1>${title}</h1>\` }),
  }),
]
`,
  [`${file}.test.ts`]: `import { expect } from "vitest"
import { openBrowser } from "${up}../tests/support/browser.ts"
import { withHearth } from "${up}../tests/support/fixture.ts"

withHearth("the page of ${words}", { people: ["ann"] }, ({ test, call, forge, ann }) => {
  test("is there for readers of the repository", async () => {
    await call(ann, "POST /user/repos", { name: "open" })
    await call(ann, "POST /user/repos", { name: "closed", private: true })
    const visitor = openBrowser(forge.hearth.url)
    expect((await visitor.get("/ann/open/-/${name}")).status).toBe(200)
    expect((await visitor.get("/ann/closed/-/${name}")).status).toBe(404)
  })
})
`,
})

const pageAlone = ({ file, name, words, one, title, up }) => ({
  [`${file}.ts`]: `import { anyone } from "${up}access/policies/site.ts"
import { html } from "${up}core/html.ts"
import { type Page, page } from "${up}core/page.ts"

/** To be said: what these show. */
export const ${one}Pages: readonly Page[] = [
  page({
    id: "${file.split("/").at(-2)}.${camelOf(name)}",
    address: "GET /-/${name}",
    access: anyone,
    answer: () => ({ kind: "shown", title: "${title}", body: html\`<h1>${title}</h1>\` }),
  }),
]
`,
  [`${file}.test.ts`]: `import { expect } from "vitest"
import { openBrowser } from "${up}../tests/support/browser.ts"
import { withHearth } from "${up}../tests/support/fixture.ts"

withHearth("the page of ${words}", {}, ({ test, forge }) => {
  test("is there for everyone", async () => {
    expect((await openBrowser(forge.hearth.url).get("/-/${name}")).status).toBe(200)
  })
})
`,
})

const camelOf = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())

export const migration = ({ folder, file, id, table, words, step }) => ({
  [`${folder}/${file}.ts`]: `import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** To be said: what it is for. */
export const ${step} = { id: ${id}, name: "${words}", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("${table}", { id: "id", repository_id: "reference", created_at: "time" }, { repository_id: "repositories" })
  await index("${table}_repository", "${table}", ["repository_id"])
}
`,
  [`${folder}/${file}.test.ts`]: `import { sql } from "kysely"
import { describe, expect, test } from "vitest"
import { databaseKinds, freshDatabase } from "../../../../tests/support/database.ts"

describe.each(databaseKinds)("the migration \\"${words}\\" on %s", (kind) => {
  test("makes its table", async () => {
    const { database, drop } = await freshDatabase(kind)
    try {
      expect((await sql\`select id, repository_id, created_at from ${table}\`.execute(database.read)).rows).toEqual([])
    } finally {
      await drop()
    }
  })
})
`,
})

export const event = ({ folder, feature, type, file, kind }) => ({
  types: `import type { OfRepository, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "${feature}": ${type}
  }
}

/** To be said: what happens to it. */
type ${type} = Undated<"${kind}"> & OfRepository
`,
  test: {
    [`${folder}/${file}.test.ts`]: `import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import { publish } from "../../../core/events/publish.ts"

withHearth("${kind}", {}, ({ test, forge }) => {
  test("is kept in the log", async () => {
    const { database } = forge.hearth.services
    const happened: DomainEvent = { kind: "${kind}", at: 1, repositoryId: 1, actor: { id: 1 } }
    await database.write(async (tx) => publish(tx, happened))
    const kept = await database.read.selectFrom("events").select("repository_id").where("kind", "=", "${kind}").execute()
    expect(kept).toEqual([{ repository_id: 1 }])
  })
})
`,
  },
})
