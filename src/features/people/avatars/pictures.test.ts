import { mkdir, readdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"
import { refuse } from "../../../core/errors.ts"
import { setPause } from "../../../seams/pause.ts"
import { storeAvatar } from "./pictures.ts"

/** The beginning of a PNG of 3 by 2 pixels; another `tail` makes another image. */
const picture = (tail: string) => Buffer.from(`89504e470d0a1a0a0000000d4948445200000003000000020802000000${tail}`, "hex").toString("base64")

describe.each(databaseKinds)("uploaded pictures on %s", (kind) => {
  let forge: TestHearth
  let ann: string
  beforeAll(async () => {
    forge = await freshHearth(kind)
    ann = await forge.person("ann")
  })
  afterAll(() => forge.close())
  const folder = () => join(forge.hearth.services.config.dataDir, "avatars")
  const files = async () => (await readdir(folder())).sort()
  const show = async (image: string) => expect((await forge.call(ann, "POST /user/avatar", { image })).status).toBe(204)

  test("are kept while a row shows them, and go where the row or the disk refuses", async () => {
    await show(picture("01"))
    const kept = await files()
    expect(kept).toHaveLength(1)
    const refused = async () => {
      throw refuse.notFound()
    }
    await expect(storeAvatar(forge.hearth.services, picture("02"), refused)).rejects.toMatchObject({ kind: "notFound" })
    await expect(storeAvatar(forge.hearth.services, picture("01"), refused)).rejects.toMatchObject({ kind: "notFound" })
    expect(await files()).toEqual(kept)
    const previous = setPause(async (point) => {
      if (point === "file.rename") throw new Error("the disk is full")
    })
    try {
      expect((await forge.call(ann, "POST /user/avatar", { image: picture("03") })).status).toBe(500)
    } finally {
      setPause(previous)
    }
    expect(await files()).toEqual(kept)
    await show(picture("04"))
    expect(await files()).toHaveLength(1)
    expect(await files()).not.toEqual(kept)
  })

  test("that no row shows are removed after a day, and so are drafts", async () => {
    await mkdir(folder(), { recursive: true })
    await show(picture("05"))
    const [shown = ""] = await files()
    const strays = [`${"0".repeat(64)}`, `${shown}.draft.part`]
    for (const name of [...strays, "young.part"]) await writeFile(join(folder(), name), "x")
    const old = new Date((forge.hearth.services.now() - 2 * 86_400) * 1000)
    for (const name of [shown, ...strays]) await utimes(join(folder(), name), old, old)
    expect(await forge.hearth.services.jobs.tasks.run("sweep_avatars")).toBe("ok")
    expect(await files()).toEqual([shown, "young.part"].sort())
  })
})
