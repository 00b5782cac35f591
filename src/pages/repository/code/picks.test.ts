import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { ok } from "../../../git/testing.ts"

withHearth("a commit of a repository", { people: ["ada", "rob"] }, ({ test, forge, call, ada }) => {
  let folder = ""
  let names = 0
  let her: Browser
  let his: Browser
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-picks-"))
    her = openBrowser(forge.hearth.url)
    his = openBrowser(forge.hearth.url)
    await her.signIn("ada", PASSWORD)
    await his.signIn("rob", PASSWORD)
  })
  test.afterAll(() => rm(folder, { recursive: true, force: true }))

  /** A repository with the branches main and old, which begin at the same commit; main has two more, by Olga. */
  async function make() {
    const name = `pick-${++names}`
    expect((await call(ada, "POST /user/repos", { name })).status).toBe(201)
    const work = join(folder, name)
    const url = new URL(`${forge.hearth.url}/ada/${name}.git`)
    url.username = "ada"
    url.password = PASSWORD
    await ok(folder, "init", "-q", "-b", "main", work)
    const git = (...args: string[]) => ok(work, ...args)
    const commit = async (message: string, files: Readonly<Record<string, string>>, ...more: string[]) => {
      for (const [path, content] of Object.entries(files)) await writeFile(join(work, path), content)
      await git("add", "-A")
      await git("commit", "-q", "-m", message, ...more)
      return git("rev-parse", "HEAD")
    }
    const first = await commit("First", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" })
    await git("branch", "old")
    const olga = ["--author=Olga <o@example.com>", "--date=2020-01-02T03:04:05+01:00"]
    const made = await commit("Fix it\n\nBecause.", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n", "b c <x>.txt": "b\n" }, ...olga)
    const last = await commit("More", { "c.txt": "c\n" })
    await git("push", "-q", url.href, "main", "old")
    const fetch = () => git("fetch", "-q", url.href, "+refs/heads/*:refs/remotes/origin/*")
    return { name, at: `/ada/${name}`, git, commit, fetch, url: url.href, first, made, last }
  }
  const about = "--format=%an <%ae>|%aI|%cn|%B"

  test("is committed again on another branch, with its author, as git does it", async () => {
    const { at, git, fetch, made } = await make()
    const shown = await her.get(`${at}/commit/${made}`)
    expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
    expect(shown.text).toContain(`href="${at}/_cherrypick/${made}/main"`)
    const chosen = await her.get(`${at}/_cherrypick/${made}/main?onto=old`)
    expect([chosen.status, chosen.location]).toEqual([303, `${at}/_cherrypick/${made}/old`])
    const page = await her.get(chosen.location)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const fields = page.forms.at(-1)?.fields ?? {}
    expect(fields).toMatchObject({ message: "Fix it", branch: "old", new_branch: "old" })
    const done = await her.post(chosen.location, fields)
    expect([done.status, done.location]).toEqual([303, `${at}/commits/branch/old`])
    await fetch()
    await git("checkout", "-q", "-B", "mine", "old")
    await git("cherry-pick", "-x", made)
    expect(await git("rev-parse", "origin/old^{tree}")).toBe(await git("rev-parse", "mine^{tree}"))
    const [ours, theirs] = [await git("log", "-1", about, "origin/old"), await git("log", "-1", about, "mine")]
    expect(ours).toContain(`Olga <o@example.com>|2020-01-02T03:04:05+01:00|ada|Fix it`)
    expect(ours).toContain(`(cherry picked from commit ${made})`)
    expect(ours.split("|")[3]).toBe(theirs.split("|")[3])
    const again = await her.post(chosen.location, { ...fields, message: "Typed <b>" })
    expect([again.status, again.text.includes("It would change nothing there"), again.text.includes("Typed &lt;b&gt;")]).toEqual([
      422,
      true,
      true,
    ])
    const unknown = await her.get(`${at}/_cherrypick/${made}/main?onto=nowhere`)
    expect([unknown.status, unknown.location]).toEqual([303, `${at}/_cherrypick/${made}/main`])
  })

  test("is reverted on a new branch, which leads to a pull request", async () => {
    const { at, git, fetch, made, last } = await make()
    const page = await her.get(`${at}/_cherrypick/${made}/main?revert=true`)
    const fields = page.forms.at(-1)?.fields ?? {}
    expect(fields["message"]).toBe('Revert "Fix it"')
    const done = await her.post(`${at}/_cherrypick/${made}/main`, { ...fields, new_branch: "undo/it" })
    expect([done.status, done.location]).toEqual([303, `${at}/compare/main...undo/it?expand=1`])
    await fetch()
    expect(await git("rev-parse", "origin/main")).toBe(last)
    await git("checkout", "-q", "-B", "mine", "main")
    await git("revert", "--no-edit", made)
    expect(await git("rev-parse", "origin/undo/it^{tree}")).toBe(await git("rev-parse", "mine^{tree}"))
    expect(await git("log", "-1", "--format=%P|%an|%B", "origin/undo/it")).toBe(
      `${last}|ada|Revert "Fix it"\n\nThis reverts commit ${made}.`,
    )
    const form = await her.get(done.location)
    expect([form.status, form.text.includes("Create pull request")]).toEqual([200, true])
  })

  test("that merges is taken against its first parent, and a first one against nothing", async () => {
    const { at, git, fetch, url, commit, first } = await make()
    await git("checkout", "-q", "-b", "side", "old")
    await commit("Side", { "side.txt": "s\n" })
    await git("checkout", "-q", "main")
    await git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    const merge = await git("rev-parse", "HEAD")
    await git("push", "-q", url, "main")
    const post = (id: string, branch: string, more: Readonly<Record<string, string>>) =>
      her.post(`${at}/_cherrypick/${id}/${branch}`, { branch, new_branch: branch, ...more })
    expect((await post(merge, "main", { revert: "true" })).status).toBe(303)
    await fetch()
    expect(await git("rev-parse", "origin/main^{tree}")).toBe(await git("rev-parse", `${merge}^1^{tree}`))
    expect(await git("log", "-1", "--format=%B", "origin/main")).toContain("reversing")
    expect((await post(first, "old", { revert: "true" })).status).toBe(303)
    await fetch()
    expect(await git("ls-tree", "origin/old")).toBe("")
  })

  test("that is in conflict says so, and changes nothing", async () => {
    const { at, git, commit, url, fetch, made } = await make()
    const changed = await commit("Otherwise", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nneun\n" })
    await git("push", "-q", url, "main")
    const page = await her.post(`${at}/_cherrypick/${made}/main`, {
      branch: "main",
      new_branch: "main",
      revert: "true",
      message: "Mine <i>",
    })
    expect([page.status, faultsIn(page.text)]).toEqual([422, []])
    for (const words of ["a.txt", `git revert ${made}`, "Mine &lt;i&gt;"]) expect(page.text).toContain(words)
    await fetch()
    expect(await git("rev-parse", "origin/main")).toBe(changed)
  })

  test("is picked by those who may write, where the branch's rule lets them", async () => {
    const { name, at, made, git, fetch } = await make()
    const address = `${at}/_cherrypick/${made}/old`
    const fields = { branch: "old", new_branch: "old" }
    expect((await his.get(`${at}/commit/${made}`)).text).not.toContain("_cherrypick")
    expect([(await his.get(address)).status, (await his.post(address, fields)).status]).toEqual([404, 403])
    expect((await openBrowser(forge.hearth.url).post(address, fields)).status).toBe(401)
    expect((await her.get(`${at}/_cherrypick/${"0".repeat(40)}/old`)).status).toBe(404)
    expect((await her.get(`${at}/_cherrypick/${made}/none`)).status).toBe(404)
    expect((await her.post(`${at}/_cherrypick/${made}/none`, fields)).status).toBe(404)
    expect((await her.post(address, { ...fields, new_branch: "bad..name" })).status).toBe(422)
    expect((await her.post(address, { ...fields, new_branch: "main" })).status).toBe(422)
    await call(ada, `POST /repos/ada/${name}/branch_protections`, { rule_name: "old" })
    const shown = await her.get(address)
    expect([shown.text.includes("is protected"), shown.forms.at(-1)?.fields["new_branch"]]).toEqual([true, "ada-patch-1"])
    expect((await her.post(address, fields)).status).toBe(403)
    await call(ada, `PUT /repos/ada/${name}/collaborators/rob`, { permission: "write" })
    expect((await his.post(address, { ...fields, new_branch: "robs" })).status).toBe(303)
    await call(ada, `PATCH /repos/ada/${name}`, { archived: true })
    expect((await her.post(address, { ...fields, new_branch: "late" })).status).toBe(423)
    expect((await her.get(address)).status).toBe(423)
    await fetch()
    expect(await git("branch", "-r", "--format=%(refname:lstrip=3)")).toBe("main\nold\nrobs")
    expect((await forge.call(basic("rob", PASSWORD), `GET /repos/ada/${name}/git/commits/robs`)).body.commit.author.name).toBe("Olga")
  })

  test("asked for forty times at once is committed once", async () => {
    const { at, made, git, fetch } = await make()
    const fields = { branch: "old", new_branch: "old" }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => her.post(`${at}/_cherrypick/${made}/old`, { ...fields, message: `Try ${index}` })),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => ![303, 422, 503].includes(status))).toEqual([])
    await fetch()
    expect(await git("rev-list", "--count", "old..origin/old")).toBe("1")
  })
})
