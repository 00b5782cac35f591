import { expect } from "vitest"
import { openBrowser, type Page } from "../../../../../tests/support/browser.ts"
import { statementsOf } from "../../../../../tests/support/database.ts"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../../tests/support/html.ts"
import { openStage } from "../../../../features/code/releases/testing.ts"
import { backgroundOf } from "../../../../features/code/repositories/background.ts"

const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64")
const HOSTILE = `<img src=x onerror=alert(1)>"'&.ts`

withWorld("pages of code and its history", { open: openStage }, ({ test, world: stage }) => {
  const open = async (name?: string) => {
    const browser = openBrowser(stage.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  const show = async (path: string, name?: string): Promise<Page> => {
    const page = await (await open(name)).get(path)
    expect([path, page.status, faultsIn(page.text)]).toEqual([path, 200, []])
    return page
  }
  const statusOf = async (path: string, name?: string) => (await (await open(name)).get(path)).status
  const make = async (name: string) => {
    await stage.must(stage.ann, "POST /user/repos", { name })
    return `/repos/ann/${name}`
  }
  const commit = async (at: string, path: string, text: string | Buffer, more: object = {}): Promise<string> =>
    (
      await stage.must(stage.ann, `POST ${at}/contents/${encodeURIComponent(path)}`, {
        content: base64(text),
        message: `Add ${path}`,
        ...more,
      })
    ).commit.sha
  const change = async (at: string, path: string, text: string, more: object = {}): Promise<string> => {
    const { sha } = await stage.must(stage.ann, `GET ${at}/contents/${encodeURIComponent(path)}`)
    return (
      await stage.must(stage.ann, `PUT ${at}/contents/${encodeURIComponent(path)}`, {
        sha,
        content: base64(text),
        message: `Change ${path}`,
        ...more,
      })
    ).commit.sha
  }

  test("files have colours, tables, sizes of pictures, and warnings of what can't be seen", async () => {
    const at = await make("files")
    await commit(at, "a.ts", `const <b>x = "\u202e"\n`)
    await commit(at, "b.csv", 'name,"<i>,size"\n<b>,1\n')
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")
    await commit(at, "c.png", png)
    await commit(at, "deep/er/only.txt", "text\n")
    const code = await show("/ann/files/src/branch/main/a.ts")
    expect(code.text).toContain('<span class="kw">const</span>')
    expect(code.text).toContain("U+202E")
    expect(code.text).toContain("invisible or bidirectional")
    expect(code.text).not.toContain("<b>x")
    const table = await show("/ann/files/src/branch/main/b.csv")
    expect(table.text).toContain('<th scope="col" dir="auto">&lt;i&gt;,size</th>')
    expect((await show("/ann/files/src/branch/main/b.csv?display=source")).text).toContain('id="L2"')
    expect((await show("/ann/files/src/branch/main/c.png")).text).toContain('width="1" height="1"')
    // A folder that holds nothing but a folder is shown with it.
    expect((await show("/ann/files")).text).toContain('href="/ann/files/src/branch/main/deep/er"')
  })

  test("the menu of branches and tags leads to the path, or to the nearest folder that is there", async () => {
    const at = await make("menus")
    await commit(at, "dir/both.txt", "both\n")
    await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "v1", target: "main" })
    await commit(at, "dir/sub/new & <b>.txt", "new\n")
    await commit(at, "x", "a file\n")
    await stage.must(stage.ann, `POST ${at}/branches`, { new_branch_name: "other", old_ref_name: "v1" })
    await commit(at, "x/y.txt", "a folder\n", { branch: "other" })
    const browser = await open()
    const listed = async (query: string) => {
      const { text } = await browser.get(`/ann/menus/ref-list/branch/other/dir/both.txt?${query}`)
      return [...text.matchAll(/href="(\/ann[^"]+)"/g)].map(([, href]) => href)
    }
    expect(await listed("kind=tag")).toEqual(["/ann/menus/src/tag/v1/dir/both.txt?nearest=true"])
    expect(await listed("view=blame&q=OTH")).toEqual(["/ann/menus/blame/branch/other/dir/both.txt?nearest=true"])
    expect((await listed("")).map((href) => href?.split("/")[5])).toEqual(["main", "other"])
    // Without scripts there are the default branch, the present one, and the pages of both.
    const here = await show("/ann/menus/src/branch/other/dir/both.txt")
    expect(here.text).toContain('href="/ann/menus/src/branch/main/dir/both.txt?nearest=true"')
    expect((await show("/ann/menus/branches?path=src/dir/both.txt")).text).toContain('/src/branch/other/dir/both.txt?nearest=true"')
    expect((await show("/ann/menus/tags?path=src/dir/both.txt&q=V1")).text).toContain('/src/tag/v1/dir/both.txt?nearest=true"')
    const moved = async (path: string) => {
      const { status, location } = await browser.get(`/ann/menus/${path}?nearest=true`)
      return [status, location?.replace("/ann/menus/", "")]
    }
    for (const [from, to] of [
      ["src/tag/v1/dir/both.txt", "src/tag/v1/dir/both.txt"],
      ["src/tag/v1/dir", "src/tag/v1/dir"],
      ["src/tag/v1/dir/sub/none", "src/tag/v1/dir"],
      ["src/branch/main/x/y.txt", "src/branch/main"],
      ["blame/tag/v1/dir/both.txt", "blame/tag/v1/dir/both.txt"],
      ["blame/tag/v1/dir/sub/none", "src/tag/v1/dir"],
      ["blame/branch/other/x", "src/branch/other/x"],
      ["commits/tag/v1/dir/both.txt", "commits/tag/v1/dir/both.txt"],
      ["commits/tag/v1/dir/sub/none", "commits/tag/v1/dir"],
    ])
      expect([from, ...(await moved(from ?? ""))]).toEqual([from, 303, to])
    const lost = `/ann/menus/src/tag/v1/dir/sub/${encodeURIComponent("new & <b>.txt")}`
    expect(await statusOf(lost)).toBe(404)
    expect(await statusOf("/ann/menus/src/branch/none/x?nearest=true")).toBe(404)
    const told = await browser.get((await browser.get(`${lost}?nearest=true`)).location ?? "")
    expect([told.status, faultsIn(told.text)]).toEqual([200, []])
    expect(told.text).toContain("dir/sub/new &amp; &lt;b&gt;.txt is not in v1.")
  })

  test("tabs are as wide as .editorconfig says, in files, blame and differences", async () => {
    const at = await make("tabs")
    await commit(at, ".editorconfig", "root = true\n[*]\nindent_size = 2\n[*.go]\ntab_width = 99\n[*.py]\nindent_size = tab\n")
    await commit(at, "a.go", "\tx\n")
    await commit(at, "lib/a.py", "\tx\n")
    const id = await commit(at, "lib/b.c", "\tx\n")
    expect((await show("/ann/tabs/src/branch/main/a.go")).text).toContain('class="code tab-8"')
    expect((await show("/ann/tabs/src/branch/main/lib/b.c")).text).toContain('class="code tab-2"')
    expect((await show("/ann/tabs/src/branch/main/lib/a.py")).text).toContain('class="code"')
    expect((await show("/ann/tabs/blame/branch/main/lib/b.c")).text).toContain('class="code blame tab-2"')
    expect((await show(`/ann/tabs/commit/${id}`)).text).toContain('class="diff tab-2"')
    expect((await show(`/ann/tabs/commit/${id}?file=lib/b.c`)).text).toContain('class="diff tab-2"')
  })

  test("a large file is shown in parts", async () => {
    const at = await make("large")
    const line = (n: number) => `line ${n} ${"<x> ".repeat(60)}`
    await commit(at, "big.txt", Array.from({ length: 12_000 }, (_, index) => `${line(index + 1)}\n`).join(""))
    await commit(at, "wide.json", `[${"1,".repeat(1_500_000)}1]\nlast\n`)
    await commit(at, "big.bin", Buffer.alloc(3_000_000))
    const here = "/ann/large/src/branch/main/big.txt"
    const first = await show(here)
    expect(first.text).toContain('<div id="L1" data-n="1">line 1 &lt;x&gt;')
    expect(first.text).not.toContain("<x>")
    expect(first.text.length).toBeLessThan(3_000_000)
    const next = /rel="next nofollow" href="([^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
    const from = Number(new URL(next, "http://x").searchParams.get("from"))
    expect(from).toBeGreaterThan(1_000)
    expect(first.text).toContain(`id="L${from - 1}"`)
    expect((await show(next)).text).toContain(`<div id="L${from}" data-n="${from}">line ${from} `)
    const last = await show(`${here}?from=11999`)
    expect(last.text.match(/ data-n="/g)).toHaveLength(2)
    expect(last.text).not.toContain('rel="next')
    expect((await show(`${here}?from=99999`)).text).toContain("No line")
    await show(`${here}?from=0`)
    const wide = await show("/ann/large/src/branch/main/wide.json")
    expect(wide.text).toContain("MiB more")
    expect(wide.text).toContain('<div id="L2" data-n="2">last')
    expect((await show("/ann/large/src/branch/main/big.bin")).text).toContain("Binary file")
  })

  test("a PDF document is shown by the browser, under a policy of its own", async () => {
    const at = await make("papers")
    await commit(at, "a.pdf", Buffer.from("%PDF-1.4\n\0"))
    await commit(at, "b.pdf", "<script>alert(1)</script>")
    expect((await show("/ann/papers/src/branch/main/a.pdf")).text).toContain('data-document="/ann/papers/media/branch/main/a.pdf"')
    expect((await show("/ann/papers/src/branch/main/b.pdf")).text).toContain('id="L1"')
    const browser = await open()
    const document = await browser.get("/ann/papers/media/branch/main/a.pdf")
    expect(document.headers.get("content-type")).toBe("application/pdf")
    expect(document.headers.get("content-disposition")).toMatch(/^inline;/)
    expect(document.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'")
    expect(document.headers.get("x-content-type-options")).toBe("nosniff")
    const other = await browser.get("/ann/papers/media/branch/main/b.pdf")
    expect(other.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(other.headers.get("content-security-policy")).toMatch(/; sandbox$/)
  })

  test("a notebook has its texts, code and outputs; a broken one its source", async () => {
    const at = await make("notes")
    const hostile =
      "<script>alert(1)</script><img src=x onerror=alert(2)><b style='position:fixed' class='button'>bold</b><a href='javascript:alert(3)'>link</a></div></main>"
    const code = (source: string, ...outputs: readonly object[]) => ({ cell_type: "code", source, execution_count: 7, outputs })
    const cells = [
      { cell_type: "markdown", source: ["## Title\n", hostile] },
      { cell_type: "markdown", source: "## Result" },
      { cell_type: "markdown", source: "## Result" },
      code(
        "def f():\n    return '<i>'\n",
        { output_type: "stream", name: "stdout", text: `out ${hostile}` },
        { output_type: "display_data", data: { "text/html": `<table><tr><td>cell</td></tr></table>${hostile}`, "text/plain": "plain" } },
        { output_type: "display_data", data: { "image/png": "iVBORw0KGgo=" } },
        { output_type: "error", traceback: ["Traceback"] },
      ),
    ]
    const text = JSON.stringify({ nbformat: 4, metadata: {}, cells })
    await commit(at, "a.ipynb", text)
    await commit(at, "b.ipynb", text.slice(1))
    const { text: shown } = await show("/ann/notes/src/branch/main/a.ipynb")
    expect(shown).toMatch(/<h2[^>]*>.*Title/)
    expect(shown).toContain('<h2 id="user-content-result">Result</h2>')
    expect(shown).toContain('<h2 id="user-content-result-1">Result</h2>')
    expect(shown).toContain('<span class="kw">def</span>')
    expect(shown).toContain("[7]")
    expect(shown).toContain("<td>cell</td>")
    expect(shown).not.toContain("plain</pre>")
    expect(shown).toContain('src="data:image/png;base64,iVBORw0KGgo="')
    expect(shown).toContain("out &lt;script&gt;")
    const notebook = shown.slice(shown.indexOf('<div class="notebook">'))
    expect(notebook).not.toMatch(/<script>|<[^>]*(?:onerror|style=|javascript:)|<b [^>]*class/)
    expect((await show("/ann/notes/src/branch/main/a.ipynb?display=source")).text).toContain('id="L1"')
    expect((await show("/ann/notes/src/branch/main/b.ipynb")).text).toContain('id="L1"')
  })

  test("files have an outline", async () => {
    const at = await make("outlines")
    await commit(at, "a.py", "class A:\n  pass\ndef f(): pass\n")
    await commit(at, "a.md", "# One <b>\n\ntext\n\n## Two & three\n")
    const code = await show("/ann/outlines/src/branch/main/a.py")
    expect(code.text).toContain('<a class="level-1" href="#L3"><span class="muted">def</span> <bdi>f</bdi></a>')
    const { text } = await (await open()).get("/ann/outlines/src/branch/main/a.md")
    const [, anchor = ""] = /<a class="level-2" href="#([^"]*)"><bdi>Two &amp; three<\/bdi><\/a>/.exec(text) ?? []
    expect(text).toContain(`id="${anchor}"`)
  })

  test("the files beside a file cost no process, and folders can be asked for alone", async () => {
    const at = await make("beside")
    await commit(at, "a/b/c.txt", "c\n")
    await commit(at, "a/d & <e>/f.txt", "f\n")
    await commit(at, "z.txt", "z\n")
    const here = "/ann/beside/src/branch/main/a/b/c.txt"
    await show(here)
    const { services } = stage.hearth
    const spawned = services.git.spawned()
    const { text } = await show(`${here}?again`)
    expect(services.git.spawned()).toBe(spawned)
    const tree = text.slice(text.indexOf('<nav class="file-tree"'), text.indexOf("</nav>", text.indexOf('<nav class="file-tree"')))
    expect(tree).toContain(`<a href="${here}" aria-current="page">`)
    expect(tree).toContain('<a href="/ann/beside/src/branch/main/z.txt">')
    const list = /data-list="([^"]*)"/.exec(tree)?.[1]?.replaceAll("&amp;", "&") ?? ""
    const folder = await (await open()).get(list)
    expect(folder.status).toBe(200)
    expect(folder.text).toMatch(/^<ul><li><a href="[^"]*\/f\.txt">.*<\/ul>$/)
    expect(folder.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox")
    for (const path of ["branch/main/z.txt", "branch/main/none", "branch/none", "main/a"])
      expect(await statusOf(`/ann/beside/tree-list/${path}`)).toBe(404)
    expect(await statusOf("/ann/hush/tree-list/branch/main", "cal")).toBe(404)
  })

  test("last changes are stored ones, or left open", async () => {
    const at = await make("last")
    await commit(at, "a.txt", "a\n")
    await commit(at, "README.md", "Read **me**\n")
    await stage.settle()
    const { services } = stage.hearth
    await show("/ann/last")
    const spawned = services.git.spawned()
    const home = await show("/ann/last?again")
    expect(services.git.spawned()).toBe(spawned)
    expect(home.text).toContain("Add a.txt")
    expect(home.text).toContain("<strong>me</strong>")
    // A file whose last commit is not known yet asks for it again, without the rest of the page changing.
    await commit(at, "deep/b.txt", "b\n")
    await stage.settle()
    const { storage } = await services.database.read
      .selectFrom("repositories")
      .select("storage")
      .where("name", "=", "last")
      .executeTakeFirstOrThrow()
    const busy = Promise.withResolvers<void>()
    const held = backgroundOf(services).begin(storage, "held", () => busy.promise)
    const open = await show("/ann/last/src/branch/main/deep/b.txt")
    expect(open.text).toMatch(/id="latest" data-again="2">.{0,40}The last commit is being looked for/)
    busy.resolve()
    await held
    await expect.poll(async () => (await show("/ann/last/src/branch/main/deep/b.txt")).text).toContain("Add deep/b.txt")
    const found = await show("/ann/last/src/branch/main/deep/b.txt")
    expect(found.text).toContain('id="latest">')
    expect(found.text).not.toContain("data-again")
  })

  test("a README is right after a change of it, of what it mentions, and of the repository's name", async () => {
    const at = await make("read")
    await make("told")
    await commit("/repos/ann/told", "a.txt", "a\n")
    const { sha } = (await stage.must(stage.ann, "GET /repos/ann/told/commits"))[0]
    await commit(at, "README.md", `One [two](a.txt) ann/told@${sha}\n`)
    await commit(at, "a.txt", "first\n")
    const shown = async (name?: string, path = "/ann/read") => (await show(path, name)).text
    const link = `href="/ann/told/commit/${sha}`
    expect([await shown(), await shown("ben")]).toEqual([expect.stringContaining(link), expect.stringContaining(link)])
    await stage.must(stage.ann, "PATCH /repos/ann/told", { private: true })
    expect(await shown("ben")).not.toContain(link)
    expect(await shown("ann")).toContain(link)
    expect(await shown("ben")).not.toContain(link)
    await change(at, "README.md", "Three [two](a.txt)\n")
    expect(await shown("ben")).toMatch(/Three <a [^>]*href="\/ann\/read\/src\/branch\/main\/a\.txt"/)
    expect(await shown(undefined, "/ann/read/src/branch/main/a.txt")).toContain("first")
    await change(at, "a.txt", "second\n")
    expect(await shown(undefined, "/ann/read/src/branch/main/a.txt")).toContain("second")
    await stage.must(stage.ann, `PATCH ${at}`, { name: "renamed" })
    expect(await shown(undefined, "/ann/renamed")).toContain('href="/ann/renamed/src/branch/main/a.txt"')
    await stage.must(stage.ann, "PATCH /repos/ann/renamed", { private: true })
    expect(await statusOf("/ann/renamed", "ben")).toBe(404)
  })

  test("a history is grouped by day, searched, and read on by the commit that it began with", async () => {
    const at = await make("story")
    for (let n = 1; n <= 55; n++) await commit(at, `f${n}.txt`, `${n}\n`, n === 3 ? { message: "Third <b>one</b>\n\nand why" } : {})
    const first = await show("/ann/story/commits/branch/main")
    expect(first.text.match(/class="bar commit-tools"/g)).toHaveLength(50)
    expect(first.text).toContain('<h2 class="day">')
    const next = /rel="next" href="([^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
    await commit(at, "later.txt", "later\n")
    const second = await show(next)
    expect(second.text.match(/class="bar commit-tools"/g)).toHaveLength(5)
    expect(second.text).toContain("Third &lt;b&gt;one&lt;/b&gt;")
    expect(second.text).toContain('<pre dir="auto">and why</pre>')
    expect((await show("/ann/story/commits/branch/main?page=2")).text.match(/class="bar commit-tools"/g)).toHaveLength(6)
    const found = await show("/ann/story/commits/branch/main?q=third+author:ann")
    expect(found.text.match(/class="bar commit-tools"/g)).toHaveLength(1)
    expect((await show("/ann/story/commits/branch/main?q=nothing+like+that")).text).toContain("No matching commits")
    expect((await show("/ann/story/commits/branch/main/f7.txt")).text.match(/class="bar commit-tools"/g)).toHaveLength(1)
    const browser = await open()
    expect((await browser.get("/ann/story/commits")).location).toBe("/ann/story/commits/branch/main")
    expect((await browser.get("/ann/story/commits/main/f7.txt")).location).toBe("/ann/story/commits/branch/main/f7.txt")
    for (const path of ["branch/main/nowhere", "branch/other", "tag/main", "commit/0123456789"])
      expect(await statusOf(`/ann/story/commits/${path}`)).toBe(404)
    expect(await statusOf("/ann/story/commits/branch/main?after=x")).toBe(422)
    expect(await statusOf("/ann/hush/commits/branch/main", "cal")).toBe(404)
    expect(await statusOf("/ann/hush/commits/branch/main", "ben")).toBe(200)
  })

  test("a history follows a file through its names, and says who wrote and who committed", async () => {
    const at = await make("names")
    const text = "one\ntwo\nthree\nfour\nfive\n"
    await commit(at, "old.txt", text, {
      author: { name: 'svg "onload" & co', email: "x@example.com" },
      committer: { name: "Con", email: "con@example.com" },
    })
    const { sha } = await stage.must(stage.ann, `GET ${at}/contents/old.txt`)
    await stage.must(stage.ann, `PUT ${at}/contents/new.txt`, { sha, from_path: "old.txt", content: base64(text), message: "Rename it" })
    const history = await show("/ann/names/commits/branch/main/new.txt")
    expect(history.text).toContain("as <bdi>old.txt</bdi>")
    expect(history.text).toContain("svg &quot;onload&quot; &amp; co")
    expect(history.text).toContain("authored")
    expect((await show("/ann/names/commits/branch/main/new.txt?follow-rename=false")).text).not.toContain("as <bdi>old.txt</bdi>")
  })

  test("commits, tags and releases are offered as feeds", async () => {
    const at = await make("news")
    await commit(at, "dir/a.txt", "a\n", { message: "Add <a> & ]]> more" })
    await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "v1", target_commitish: "main", name: "One & <only>", body: "notes" })
    await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "v2", target_commitish: "main", name: "Secret draft", draft: true })
    const browser = await open("ann")
    for (const [path, type, title] of [
      ["atom/branch/main/dir", "application/atom+xml", "Add &lt;a&gt; &amp; ]]&gt; more"],
      ["rss/branch/main", "application/rss+xml", "Add &lt;a&gt; &amp; ]]&gt; more"],
      ["tags.atom", "application/atom+xml", "v1"],
      ["tags.rss", "application/rss+xml", "v1"],
      ["releases.atom", "application/atom+xml", "One &amp; &lt;only&gt;"],
      ["releases.rss", "application/rss+xml", "One &amp; &lt;only&gt;"],
    ] as const) {
      const feed = await browser.get(`/ann/news/${path}`)
      expect([path, feed.status, feed.headers.get("content-type")?.split(";")[0]]).toEqual([path, 200, type])
      expect(feed.text).toContain(`<title>${title}</title>`)
      expect(feed.text).not.toContain("Secret draft")
    }
    expect(await statusOf("/ann/news/atom/tag/v1")).toBe(404)
    expect(await statusOf("/ann/news/atom/branch/nowhere")).toBe(404)
    expect(await statusOf("/ann/hush/tags.atom", "cal")).toBe(404)
  })

  test("blame tells of every line in order, passes over what the repository names, and escapes what it shows", async () => {
    const at = await make("blame")
    const first = await commit(at, HOSTILE, "one\ntwo\nthree\n", {
      message: "Begin <script>",
      author: { name: "Eve & &lt;b>", email: "eve@example.com" },
    })
    const second = await change(at, HOSTILE, "one\nTWO\nthree\n", { message: "Shout" })
    const here = `/ann/blame/blame/branch/main/${encodeURIComponent(HOSTILE)}`
    const blame = await show(here)
    const lines = [...blame.text.matchAll(/id="L(\d+)" data-n="\d+">(.*)/g)].map(
      ([, number, text]) => `${number} ${text?.replace(/<[^>]*>/g, "")}`,
    )
    expect(lines).toEqual(["1 one", "2 TWO", "3 three"])
    expect(blame.text.match(/class="block"/g)).toHaveLength(3)
    expect(blame.text).toContain("Begin &lt;script&gt;")
    expect(blame.text).toContain("Eve &amp; &amp;lt;b")
    expect(blame.text).toContain(`/ann/blame/blame/commit/${first}/`)
    await show(`/ann/blame/blame/commit/${first}/${encodeURIComponent(HOSTILE)}`)

    // It is remembered: git isn't asked again.
    const { git } = stage.hearth.services
    const spawned = git.spawned()
    expect((await show(`${here}?bypass-blame-ignore=false`)).text).toContain("Begin &lt;script&gt;")
    expect(git.spawned()).toBe(spawned)

    await commit(at, ".git-blame-ignore-revs", `# loud\n${second}\n`)
    const quiet = await show(here)
    expect(quiet.text).toContain("1 commit listed in")
    expect(quiet.text).not.toContain(">Shout<")
    const whole = await show(`${here}?bypass-blame-ignore=true`)
    expect(whole.text).toContain(">Shout<")
    expect(whole.text).toContain(
      `/ann/blame/blame/commit/${first}/${encodeURIComponent(HOSTILE).replaceAll("'", "&#39;")}?bypass-blame-ignore=true`,
    )

    await commit(at, "binary.bin", Buffer.from([0, 1, 2, 3]))
    expect((await show("/ann/blame/blame/branch/main/binary.bin")).text).toContain("Binary file")
    for (const path of ["branch/main", "branch/main/nowhere", "main/binary.bin"])
      expect(await statusOf(`/ann/blame/blame/${path}`)).toBe(404)
    expect(await statusOf("/ann/hush/blame/branch/main/a.txt", "cal")).toBe(404)
  })

  test("branches are listed with a fixed number of statements and without git", async () => {
    const at = await make("many")
    await commit(at, "a.txt", "a\n")
    const branch = async (name: string) => {
      await stage.must(stage.ann, `POST ${at}/branches`, { new_branch_name: name, old_branch_name: "main" })
      await commit(at, `${name.replace("/", "-")}.txt`, `${name}\n`, { branch: name })
    }
    for (const name of ["one", "topic/two"]) await branch(name)
    await stage.must(stage.ann, `POST ${at}/branch_protections`, { rule_name: "main" })
    await stage.must(stage.ann, `POST ${at}/pulls`, { head: "one", base: "main", title: "Take <one>" })
    const { services } = stage.hearth
    const ann = await open("ann")
    const counted = async (path: string) => {
      // The jobs that compare branches wait a moment for further pushes.
      await services.database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
      await stage.settle()
      let page: Page | undefined
      expect((await ann.get(`${path}?x`)).text).not.toContain("not computed yet")
      const spawned = services.git.spawned()
      const statements = await statementsOf(services.database, async () => {
        page = await ann.get(path)
      })
      expect(services.git.spawned()).toBe(spawned)
      return { page, count: statements.length }
    }
    const few = await counted("/ann/many/branches")
    expect(faultsIn(few.page?.text ?? "")).toEqual([])
    expect(few.page?.text).toContain("1 ahead of main")
    expect(few.page?.text).toContain('href="/ann/many/pulls/1"')
    expect(few.page?.text).toContain('title="Take &lt;one&gt;"')
    expect(few.page?.text).toContain("Protected")
    for (let n = 0; n < 8; n++) await branch(`more${n}`)
    const many = await counted("/ann/many/branches")
    expect(many.count).toBe(few.count)
    const found = await show("/ann/many/branches?q=TOPIC")
    expect(found.text).toContain("topic/two")
    expect(found.text).not.toContain("more0")
    expect(await statusOf("/ann/hush/branches", "cal")).toBe(404)

    const graph = await show("/ann/many/graph")
    expect(graph.text.match(/<li>/g)?.length).toBeGreaterThan(10)
    expect(graph.text.match(/class="(?:line|dot) colour-/g)?.length).toBeLessThanOrEqual(12)
    const some = await show("/ann/many/graph?branch=one")
    expect(some.text).toContain("Add one.txt")
    expect(some.text).not.toContain("Add more0.txt")
  })

  test("empty repositories have empty pages", async () => {
    await make("void")
    expect((await (await open()).get("/ann/void/commits")).location).toBe("/ann/void")
    expect((await show("/ann/void/branches")).text).toContain("No branches yet")
    expect((await show("/ann/void/graph")).text).toContain("No commits")
    for (const path of ["", "/contributors", "/code-frequency", "/recent-commits"]) await show(`/ann/void/activity${path}`)
  })
})
