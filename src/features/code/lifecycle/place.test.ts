import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { basic } from "../../../../tests/support/hearth.ts"
import { openServices, startHearth } from "../../../app.ts"
import { StorageRefused } from "../../../core/blobs/blobs.ts"
import { insertStored } from "../../../core/repositories/store.ts"
import { placeOfRepositories, putPlaceOfRepositories } from "./place.ts"
import { MAKING_SECONDS, sweepStoredRepositories } from "./stored.ts"

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hearth-place-"))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const PASSWORD = "a-long-password"
const options = (shared: boolean) => ({
  env: {},
  shared,
  halted: true,
  config: { dataDir, admin: { password: PASSWORD }, http: { port: 0 }, ssh: { port: 0 }, log: { level: "silent" as const } },
})
const start = async (shared: boolean) => startHearth(options(shared))

async function makeRepository(url: string, name: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/user/repos`, {
    method: "POST",
    headers: { authorization: basic("root", PASSWORD), "content-type": "application/json" },
    body: JSON.stringify({ name, auto_init: true }),
  })
  expect(answer.status, await answer.text()).toBe(201)
}

test("without repositories a server starts with either place; with some, only where they are", async () => {
  for (const shared of [true, false, true]) {
    const hearth = await start(shared)
    expect(await placeOfRepositories(hearth.services.database.read)).toBe(shared ? "store" : "folder")
    expect((await hearth.services.health.look()).checks["repositories:write"]?.[0].status).toBe("pass")
    await hearth.close()
  }
  const hearth = await start(true)
  await makeRepository(hearth.url, "first")
  await makeRepository(hearth.url, "second")
  await hearth.close()

  const refused = start(false)
  await expect(refused).rejects.toBeInstanceOf(StorageRefused)
  await expect(refused).rejects.toMatchObject({
    message: "2 repositories are in the object store, and not in the data folder.",
    advice: expect.stringContaining("hearth storage move --to folder"),
  })
  // What is no server is not kept from looking.
  const opened = await openServices(options(false))
  await putPlaceOfRepositories(opened.services.database, "folder")
  await opened.close()
  await expect(start(true)).rejects.toMatchObject({
    message: "2 repositories are in the data folder, and not in the object store.",
    advice: expect.stringContaining("hearth storage move --to store"),
  })
  const back = await openServices(options(true))
  await putPlaceOfRepositories(back.services.database, "store")
  await back.close()
  await (await start(true)).close()
})

test("stored repositories without a repository or a wiki are removed once they are old enough", async () => {
  const { services, close } = await openServices(options(true))
  const { database, now } = services
  const keys = async () =>
    (await database.read.selectFrom("stored_repositories").select("key").orderBy("key").execute()).map(({ key }) => key)
  try {
    const [own = ""] = await keys()
    const insert = (key: string, at: number) =>
      database.write((tx) => insertStored.first(tx, { key, format: "sha1", head: "refs/heads/main", size: 0, packsCount: 0, now: at }))
    const old = now() - MAKING_SECONDS - 1
    const before = await keys()
    await database.write(async (tx) => {
      const { id } = await tx.selectFrom("repositories").select("id").where("storage", "=", own).executeTakeFirstOrThrow()
      await tx.insertInto("wikis").values({ repository_id: id, created_at: 1 }).execute()
      await tx.updateTable("stored_repositories").set({ created_at: 1 }).execute()
    })
    await insert(`${own}-wiki`, old)
    const [, other = ""] = before
    for (const key of ["ab/left", "ab/left-wiki", `${other}-wiki`]) await insert(key, old)
    await insert("ab/young", now())
    expect(await sweepStoredRepositories.run(services, new AbortController().signal)).toBe("3 removed")
    expect(await keys()).toEqual([...before, `${own}-wiki`, "ab/young"].toSorted())
    expect(await sweepStoredRepositories.run(services, new AbortController().signal)).toBeUndefined()
  } finally {
    await close()
  }
})
