import { rename, rm } from "node:fs/promises"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"

withHearth("repositories whose folder is gone", { people: ["ann"] }, ({ test, forge, ann }) => {
  const services = () => forge.hearth.services
  const must = async (call: string, body?: object) => {
    const answer = await forge.call(ann, call, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const make = async (name: string): Promise<void> => {
    await must("POST /user/repos", { name, auto_init: true, default_branch: "main", license: "MIT", readme: "Default" })
    await must(`POST /repos/ann/${name}/branches`, { new_branch_name: "work" })
    await must(`POST /repos/ann/${name}/tags`, { tag_name: "v1" })
    await must(`POST /repos/ann/${name}/releases`, { tag_name: "v2", name: "Second", target_commitish: "main" })
    await must(`POST /repos/ann/${name}/issues`, { title: "Stays" })
    await services().jobs.drain()
  }
  const folderOf = async (name: string): Promise<string> => {
    const row = await services()
      .database.read.selectFrom("repositories")
      .select(["storage", "object_format"])
      .where("lower_name", "=", name)
      .executeTakeFirstOrThrow()
    return services().git.at(row.storage, row.object_format).directory
  }
  const run = async (task: string) => {
    const result = await services().jobs.tasks.run(task)
    return [result, (await services().jobs.tasks.list()).find(({ name }) => name === task)?.lastMessage]
  }

  test("are made anew, empty, with their issues", async () => {
    for (const name of ["whole", "lost"]) await make(name)
    await rm(await folderOf("lost"), { recursive: true })
    expect(await run("reinit_missing_repos")).toEqual(["ok", "1 of 1 missing made anew"])
    await services().jobs.drain()
    expect(await must("GET /repos/ann/lost")).toMatchObject({ empty: true, branch_count: 0, licenses: [], size: 0, open_issues_count: 1 })
    expect(await must("GET /repos/ann/lost/branches")).toEqual([])
    expect(await must("GET /repos/ann/lost/tags")).toEqual([])
    expect(await must("GET /repos/ann/lost/releases")).toMatchObject([{ name: "Second", draft: true }])
    expect(await must("GET /repos/ann/whole")).toMatchObject({ empty: false, branch_count: 2, licenses: ["MIT"] })
    await must("POST /repos/ann/lost/contents/a.txt", { content: "YQo=", message: "back", branch: "main" })
    expect(await must("GET /repos/ann/lost")).toMatchObject({ empty: false, branch_count: 1 })
    expect(await run("reinit_missing_repos")).toEqual(["ok", "0 of 0 missing made anew"])
  })

  test("are deleted with all that belongs to them; a damaged one stays", async () => {
    for (const name of ["whole2", "gone", "damaged"]) await make(name)
    await rm(await folderOf("gone"), { recursive: true })
    await rm(`${await folderOf("damaged")}/HEAD`)
    expect(await run("delete_missing_repos")).toEqual(["ok", "1 of 1 missing deleted"])
    expect((await forge.call(ann, "GET /repos/ann/gone")).status).toBe(404)
    for (const name of ["whole2", "damaged"]) expect((await forge.call(ann, `GET /repos/ann/${name}`)).status).toBe(200)
    await services().jobs.drain()
  })

  test("are left alone where all are missing, as without the disk", async () => {
    const names = (await must("GET /user/repos")).map(({ name }: { name: string }) => name)
    const folders = await Promise.all(names.map(folderOf))
    for (const folder of folders) await rename(folder, `${folder}.away`)
    for (const task of ["delete_missing_repos", "reinit_missing_repos"])
      expect(await run(task)).toEqual(["failed", expect.stringMatching(/^none of the 4 repositories is in the data folder/)])
    for (const folder of folders) await rename(`${folder}.away`, folder)
    expect((await must("GET /user/repos")).length).toBe(4)
  })
})
