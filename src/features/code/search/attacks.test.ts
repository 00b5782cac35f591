import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { writeKnot } from "../../../git/testing.ts"
import { openStage } from "../releases/testing.ts"

withWorld("attacks on the index of code search", { open: openStage }, ({ test, world: stage }) => {
  test("trees that hold themselves many times over are indexed within the limits", async () => {
    await stage.must(stage.ann, "POST /user/repos", { name: "knot" })
    const clone = await stage.clone("ann/knot")
    const commit = await writeKnot(clone.folder, { levels: 300, width: 4, file: "a.c" })
    expect(await clone.push(`${commit}:refs/heads/main`)).toMatchObject({ code: 0 })
    const { database } = stage.hearth.services
    const states = async () =>
      new Set(
        (await database.read.selectFrom("jobs").select("state").where("kind", "=", "repository.index").execute()).map(({ state }) => state),
      )
    expect(await states()).toEqual(new Set(["waiting"]))
    await stage.settle()
    expect(await states()).toEqual(new Set(["done"]))
  })
})
