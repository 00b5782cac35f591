import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withHearth("the editor of files", { people: ["ada", "rob"] }, ({ test: it, forge, call, ada }) => {
  let names = 0
  async function make(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = `edit-${++names}`
    expect((await call(ada, "POST /user/repos", { name })).status).toBe(201)
    for (const [path, text] of Object.entries(files))
      expect((await call(ada, `POST /repos/ada/${name}/contents/${path}`, { content: base64(text) })).status).toBe(201)
    return name
  }
  const cookies = new Map<string, string>()
  async function cookieOf(login: string): Promise<string> {
    const known = cookies.get(login)
    if (known !== undefined) return known
    const body = new URLSearchParams({ login, password: PASSWORD })
    const answer = await fetch(`${forge.hearth.url}/user/login`, { method: "POST", redirect: "manual", body })
    const cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
    cookies.set(login, cookie)
    return cookie
  }
  async function ask(path: string, fields?: Readonly<Record<string, string>> | FormData, login = "ada") {
    const answer = await fetch(forge.hearth.url + path, {
      method: fields ? "POST" : "GET",
      redirect: "manual",
      headers: { accept: "text/html", cookie: await cookieOf(login), "sec-fetch-site": "same-origin" },
      ...(fields && { body: fields instanceof FormData ? fields : new URLSearchParams(fields) }),
    })
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() }
  }
  const shown = async (path: string, login?: string): Promise<string> => {
    const { status, text } = await ask(path, undefined, login)
    expect([path, status, faultsIn(text)]).toEqual([path, 200, []])
    return text
  }
  const shaOf = async (name: string, path: string, ref = "main") =>
    (await call(ada, `GET /repos/ada/${name}/contents/${path}?ref=${ref}`)).body.sha
  const textOf = async (name: string, path: string, ref = "main") =>
    Buffer.from((await call(ada, `GET /repos/ada/${name}/contents/${path}?ref=${ref}`)).body.content ?? "", "base64").toString()
  const edit = async (name: string, path: string, content: string, more: Readonly<Record<string, string>> = {}) => ({
    path,
    from_path: path,
    sha: await shaOf(name, path),
    content,
    branch: "main",
    new_branch: "main",
    ...more,
  })

  it("changes a file, and leads to it", async () => {
    const name = await make({ "dir%2Fa.txt": "one\n" })
    const page = await shown(`/ada/${name}/_edit/main/dir/a.txt`)
    expect(page).toContain("\none\n</textarea>")
    // Without a fixed direction Chromium takes a quarter of a minute for large files.
    expect(page).toMatch(/<textarea [^>]*name="content"[^>]* dir="ltr"/)
    const fields = await edit(name, "dir%2Fa.txt", "two\r\n", {
      path: "dir/a.txt",
      from_path: "dir/a.txt",
      message: "Say two",
      description: "Why",
    })
    const done = await ask(`/ada/${name}/_edit/main/dir/a.txt`, fields)
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/src/branch/main/dir/a.txt`])
    expect(await textOf(name, "dir%2Fa.txt")).toBe("two\n")
    expect((await call(ada, `GET /repos/ada/${name}/commits`)).body[0].commit.message).toBe("Say two\n\nWhy\n")
  })

  it("keeps how lines end, and moves a file to another path", async () => {
    const name = await make({ "dos.txt": "one\r\ntwo\r\n" })
    expect(await shown(`/ada/${name}/_edit/main/dos.txt`)).toContain('name="ends" value="crlf"')
    const fields = await edit(name, "dos.txt", "one\r\n2\r\n", { ends: "crlf", path: "new/dos.txt" })
    expect((await ask(`/ada/${name}/_edit/main/dos.txt`, fields)).location).toBe(`/ada/${name}/src/branch/main/new/dos.txt`)
    expect(await textOf(name, "new%2Fdos.txt")).toBe("one\r\n2\r\n")
    expect((await call(ada, `GET /repos/ada/${name}/contents/dos.txt`)).status).toBe(404)
  })

  it("makes a branch of another name, and leads to the form of a pull request", async () => {
    const name = await make({ "a.txt": "one\n" })
    const done = await ask(`/ada/${name}/_edit/main/a.txt`, await edit(name, "a.txt", "two\n", { new_branch: "ada/two" }))
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/compare/main...ada/two?expand=1`])
    expect([await textOf(name, "a.txt"), await textOf(name, "a.txt", "ada%2Ftwo")]).toEqual(["one\n", "two\n"])
    const protect = await call(ada, `POST /repos/ada/${name}/branch_protections`, { rule_name: "main", enable_push: false })
    expect(protect.status).toBe(201)
    expect(await shown(`/ada/${name}/_edit/main/a.txt`)).toContain('value="ada-patch-1"')
  })

  it("shows both when someone has changed the file meanwhile, and loses nothing", async () => {
    const name = await make({ "a.txt": "one\n" })
    const fields = await edit(name, "a.txt", "mine <b>\n", { message: "Keep this" })
    await call(ada, `PUT /repos/ada/${name}/contents/a.txt`, { sha: fields.sha, content: base64("theirs\n") })
    const stale = await ask(`/ada/${name}/_edit/main/a.txt`, fields)
    expect([stale.status, faultsIn(stale.text)]).toEqual([422, []])
    for (const part of ["This file was changed by someone else", "theirs", "\nmine &lt;b&gt;\n</textarea>", 'value="Keep this"'])
      expect(stale.text).toContain(part)
    expect(await textOf(name, "a.txt")).toBe("theirs\n")
    const now = await shaOf(name, "a.txt")
    expect(stale.text).toContain(`name="sha" value="${now}"`)
    expect((await ask(`/ada/${name}/_edit/main/a.txt`, { ...fields, sha: now })).status).toBe(303)
    expect(await textOf(name, "a.txt")).toBe("mine <b>\n")
  })

  it("keeps the text when the file or its branch was deleted meanwhile", async () => {
    const name = await make({ "a.txt": "one\n", "b.txt": "b\n" })
    const fields = await edit(name, "a.txt", "mine\n")
    await call(ada, `DELETE /repos/ada/${name}/contents/a.txt`, { sha: fields.sha })
    const gone = await ask(`/ada/${name}/_edit/main/a.txt`, fields)
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("\nmine\n</textarea>")])
    expect(gone.text).toContain('name="sha" value=""')
    expect((await ask(`/ada/${name}/_edit/main/a.txt`, { ...fields, sha: "", from_path: "" })).status).toBe(303)
    await call(ada, `POST /repos/ada/${name}/branches`, { new_branch_name: "side" })
    const onSide = { ...(await edit(name, "b.txt", "typed\n")), branch: "side", new_branch: "side" }
    await call(ada, `DELETE /repos/ada/${name}/branches/side`)
    const lost = await ask(`/ada/${name}/_edit/side/b.txt`, onSide)
    expect([lost.status, lost.text]).toEqual([404, expect.stringContaining("\ntyped\n</textarea>")])
  })

  it("says how a file is written where .editorconfig does, also of one that is not there yet", async () => {
    const config = "root = true\n[*]\nindent_style = space\nindent_size = 2\ntrim_trailing_whitespace = true\ninsert_final_newline = true\n"
    const name = await make({
      ".editorconfig": `${config}[*.bat]\nend_of_line = crlf\nindent_style = tab\ntab_width = 8\n`,
      "a.js": "a()\n",
    })
    const common = { tabWidth: 2, trims: true, endsWithNewline: true }
    const said = async (path: string): Promise<unknown> => JSON.parse((await ask(`/ada/${name}/_editorconfig/main/${path}`)).text)
    expect(await said("new/b.js")).toEqual({ indent: "  ", ...common })
    expect(await said("run.bat")).toEqual({ indent: "\t", ...common, tabWidth: 8, ends: "crlf" })
    expect(await shown(`/ada/${name}/_edit/main/a.js`)).toContain("&quot;trims&quot;:true")
    expect((await ask(`/ada/${name}/_editorconfig/none/a.js`)).status).toBe(404)
  })

  it("previews Markdown and shows changes without a commit", async () => {
    const name = await make({ "a.md": "# One\n" })
    const fields = await edit(name, "a.md", "## Two\r\n\r\n<script>alert(1)</script>\r\n")
    const preview = await ask(`/ada/${name}/_preview/main/a.md`, { ...fields, look: "preview" })
    expect([preview.status, faultsIn(preview.text)]).toEqual([200, []])
    expect(preview.text).toMatch(/<h2[^>]*>.*Two/)
    expect(preview.text).not.toContain("<script>alert")
    expect(preview.text).toContain(`action="/ada/${name}/_edit/main/a.md"`)
    expect(preview.text).toContain(`name="sha" value="${fields.sha}"`)
    const changes = await ask(`/ada/${name}/_preview/main/a.md`, { ...fields, look: "changes" })
    expect(changes.text).toMatch(/<div class="d" [^>]*>.*# One/)
    expect(changes.text).toMatch(/<div class="a" [^>]*>.*## Two/)
    expect(await textOf(name, "a.md")).toBe("# One\n")
  })

  it("makes a file, also the first of a repository, and not over another", async () => {
    const name = await make()
    expect(await shown(`/ada/${name}`)).toContain(`/ada/${name}/_new/main?filename=README.md`)
    expect(await shown(`/ada/${name}/_new/main?filename=README.md`)).toContain('value="README.md"')
    const fields = { path: "README.md", content: "first\n", branch: "main", new_branch: "main", sha: "", from_path: "" }
    const done = await ask(`/ada/${name}/_new/main`, fields)
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/src/branch/main/README.md`])
    const again = await ask(`/ada/${name}/_new/main/`, { ...fields, content: "second\n" })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining("\nsecond\n</textarea>")])
    for (const path of ["", ".git/x", "a/../b"]) expect((await ask(`/ada/${name}/_new/main/`, { ...fields, path })).status, path).toBe(422)
    expect(await textOf(name, "README.md")).toBe("first\n")
  })

  it("deletes a file", async () => {
    const name = await make({ "a.txt": "one\n", "b.txt": "two\n" })
    expect(await shown(`/ada/${name}/_delete/main/a.txt`)).toContain("Delete file")
    const fields = { path: "a.txt", sha: await shaOf(name, "b.txt"), branch: "main", new_branch: "main" }
    expect((await ask(`/ada/${name}/_delete/main/a.txt`, fields)).status).toBe(422)
    const done = await ask(`/ada/${name}/_delete/main/a.txt`, { ...fields, sha: await shaOf(name, "a.txt") })
    expect(done.status).toBe(303)
    expect((await ask(`/ada/${name}/src/branch/main/a.txt`)).status).toBe(404)
  })

  it("applies a patch, and keeps one that does not fit", async () => {
    const name = await make({ "a.txt": "one\n" })
    expect(await shown(`/ada/${name}/src/branch/main`)).toContain(`/ada/${name}/_diffpatch/main`)
    expect(await shown(`/ada/${name}/_diffpatch/main`)).toContain("Apply patch")
    const patch = "--- a/a.txt\r\n+++ b/a.txt\r\n@@ -1 +1 @@\r\n-one\r\n+two\r\n"
    const fields = { content: patch, branch: "main", new_branch: "main", message: "Say two" }
    expect((await ask(`/ada/${name}/_diffpatch/main`, fields)).location).toBe(`/ada/${name}/src/branch/main`)
    expect(await textOf(name, "a.txt")).toBe("two\n")
    const again = await ask(`/ada/${name}/_diffpatch/main`, { ...fields, message: "Again" })
    expect([again.status, faultsIn(again.text), again.text]).toEqual([422, [], expect.stringContaining("@@ -1 +1 @@")])
    expect((await ask(`/ada/${name}/_diffpatch/main`, undefined, "rob")).status).toBe(404)
  })

  it("leads those who may not write to a fork of their own, and from there to a pull request", async () => {
    const name = await make({ "a.txt": "one\n" })
    expect(await shown(`/ada/${name}/src/branch/main/a.txt`, "rob")).not.toContain("/_delete/")
    expect(await shown(`/ada/${name}/_edit/main/a.txt`, "rob")).toContain("Fork and continue")
    const refused = await ask(`/ada/${name}/_edit/main/a.txt`, await edit(name, "a.txt", "typed\n"), "rob")
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("\ntyped\n</textarea>")])
    expect((await ask(`/ada/${name}/_delete/main/a.txt`, undefined, "rob")).status).toBe(404)
    const forked = await ask(`/ada/${name}/_fork/main/a.txt`, { view: "_edit" }, "rob")
    expect([forked.status, forked.location]).toEqual([303, `/rob/${name}/_edit/main/a.txt?propose=true`])
    const page = await shown(forked.location ?? "", "rob")
    expect(page).toContain('value="rob-patch-1"')
    expect(page).toContain(`name="upstream" value="ada/${name}"`)
    const fields = await edit(name, "a.txt", "better\n", { new_branch: "rob-patch-1", upstream: `ada/${name}` })
    const done = await ask(`/rob/${name}/_edit/main/a.txt`, fields, "rob")
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/compare/...rob:rob-patch-1?expand=1`])
    expect(await shown(done.location ?? "", "rob")).toContain("Open a pull request")
    expect((await ask(`/ada/${name}/_edit/main/a.txt`, undefined, "rob")).location).toBe(`/rob/${name}/_edit/main/a.txt?propose=true`)
  })

  it("does not take for text what isn't, nor edit what is archived", async () => {
    const name = await make({ "a.bin": "a\0b" })
    expect(await shown(`/ada/${name}/_edit/main/a.bin`)).toContain("no text in UTF-8")
    for (const path of ["_edit/main/none", "_edit/none/a.bin", "_edit/main", "_upload/main/a.bin"])
      expect((await ask(`/ada/${name}/${path}`)).status, path).toBe(404)
    await call(ada, `PATCH /repos/ada/${name}`, { archived: true })
    expect((await ask(`/ada/${name}/_edit/main/a.bin`)).status).toBe(423)
  })
})
