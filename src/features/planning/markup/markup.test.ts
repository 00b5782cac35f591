import { describe, expect } from "vitest"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { send } from "../../../../tests/support/http.ts"

withHearth("rendering texts", { people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  let commit = ""

  test.beforeAll(async () => {
    for (const [name, isPrivate] of [
      ["open", false],
      ["shut", true],
    ] as const) {
      await call(ann, "POST /user/repos", { name, private: isPrivate, auto_init: true, default_branch: "main" })
      for (const title of ["First & <b>", "Second"]) await call(ann, `POST /repos/ann/${name}/issues`, { title })
    }
    await call(ann, "POST /repos/ann/open/contents/x.txt", { content: "", message: "x", new_branch: "x" })
    await call(ann, "POST /repos/ann/open/pulls", { title: "Third", head: "x", base: "main" })
    const { body } = await call(ann, "GET /repos/ann/open/branches/main")
    commit = body.commit.id
    await forge.person("hid", { visibility: "private" })
  })

  const render = (who: Caller, body: object, operation = "markdown") =>
    send(forge.hearth.url, "POST", `/${operation}`, { authorization: who, body })
  const html = async (who: Caller, Text: string, more: object = {}) => {
    const { status, text } = await render(who, { Text, Mode: "comment", Context: "/ann/open", ...more })
    expect(status, text).toBe(200)
    return text.trimEnd()
  }
  const at = (path: string) => `${forge.hearth.url}/${path}`
  const link = (path: string, css: string, text: string, title = "") =>
    `<a href="${at(path)}" class="${css}"${title && ` title="${title}"`} rel="nofollow">${text}</a>`
  const paragraph = (inside: string) => `<p dir="auto">${inside}</p>`

  describe("mentions", () => {
    test("of issues and pull requests lead to them, with their titles", async () => {
      expect(await html(ben, "#1 !3 #3 ann/open#2 #9")).toBe(
        paragraph(
          [
            link("ann/open/issues/1", "ref-issue", "#1", "First &amp; &lt;b&gt;"),
            link("ann/open/pulls/3", "ref-issue", "!3", "Third"),
            link("ann/open/pulls/3", "ref-issue", "#3", "Third"),
            link("ann/open/issues/2", "ref-issue", "ann/open#2", "Second"),
            "#9",
          ].join(" "),
        ),
      )
    })

    test("of what the caller may not see stay text, and so does what is missing", async () => {
      expect(await html(ben, "ann/shut#1 ann/none#1 none/none#1")).toBe(paragraph("ann/shut#1 ann/none#1 none/none#1"))
      expect(await html(ann, "ann/shut#1")).toBe(paragraph(link("ann/shut/issues/1", "ref-issue", "ann/shut#1", "First &amp; &lt;b&gt;")))
      const { body } = await call(ann, "GET /repos/ann/shut/branches/main")
      expect(await html(ben, `ann/shut@${body.commit.id}`)).toBe(paragraph(`ann/shut@${body.commit.id}`))
      expect(await html(ben, "#1", { Context: "/ann/shut" })).toBe(paragraph("#1"))
      expect(await html(ben, "@hid @none")).toBe(paragraph("@hid @none"))
    })

    test("of what is hidden lead to it for those who may see it", async () => {
      expect(await html(forge.root, "@hid")).toBe(paragraph(link("hid", "mention", "@hid")))
    })

    test("of issues end where the unit is switched off", async () => {
      await call(ann, "POST /user/repos", { name: "off" })
      await call(ann, "POST /repos/ann/off/issues", { title: "x" })
      await call(ann, "PATCH /repos/ann/off", { has_issues: false })
      expect(await html(ann, "ann/off#1")).toBe(paragraph("ann/off#1"))
    })

    test("of people lead to them, however they are written", async () => {
      expect(await html(ben, "@Ann, @ben")).toBe(paragraph(`${link("Ann", "mention", "@Ann")}, ${link("ben", "mention", "@ben")}`))
    })

    test("of commits lead to those that exist", async () => {
      const short = `<code>${commit.slice(0, 10)}</code>`
      expect(await html(ben, `${commit} ${commit.slice(0, 8)} 0123456789 ann/open@${commit.slice(0, 7)}`, { Context: "" })).toBe(
        paragraph(
          `${commit} ${commit.slice(0, 8)} 0123456789 ${link(`ann/open/commit/${commit}`, "ref-commit", `<code>ann/open@${commit.slice(0, 7)}</code>`)}`,
        ),
      )
      expect(await html(ben, `${commit} 0123456789`)).toBe(
        paragraph(`${link(`ann/open/commit/${commit}`, "ref-commit", short)} 0123456789`),
      )
      expect(await html(ben, `${at(`ann/open/commit/${commit}`)}`)).toBe(paragraph(link(`ann/open/commit/${commit}`, "ref-commit", short)))
    })

    test("take as many queries as one of each kind", async () => {
      const { database } = forge.hearth.services
      const count = async (text: string) => (await statementsOf(database, () => html(ben, text))).length
      const few = await count(`@ann #1 ann/shut#1 ${commit}`)
      const many = Array.from({ length: 40 }, (_, index) => `@user${index} #${index + 1} ann/shut#${index + 1} a${index}/b#1 ${commit}`)
      expect(await count(`@ann @ben ${many.join(" ")}`)).toBe(few)
    })
  })

  describe("modes", () => {
    test.each([
      ["markdown", "# [a](x.md) #1", '<h1><a href="x.md" rel="nofollow">a</a> #1</h1>'],
      ["", "# [a](x.md) #1", '<h1><a href="x.md" rel="nofollow">a</a> #1</h1>'],
      ["gfm", "# #1", '<h1 id="user-content-1">#1</h1>'],
      ["wiki", "a\nb", '<p dir="auto">a\nb</p>'],
      ["comment", "a\nb", '<p dir="auto">a<br />\nb</p>'],
    ])("%j", async (Mode, text, expected) => {
      expect(await html(ben, text, { Mode })).toBe(expected)
    })

    test("may be written in small letters, with the other members", async () => {
      const { text } = await render(ben, { text: "#1", mode: "comment", context: "/ann/open" })
      expect(text.trimEnd()).toBe(paragraph(link("ann/open/issues/1", "ref-issue", "#1", "First &amp; &lt;b&gt;")))
    })

    test.each([
      ["gfm", "/ann/open", "x.md", "src/x.md", "media/x.md"],
      ["gfm", "/ann/open/src/branch/a/b", "x.md", "src/branch/a/b/x.md", "media/branch/a/b/x.md"],
      ["gfm", "ann/open/src/tag/1.0%20b/", "/x.md", "src/tag/1.0%20b/x.md", "media/tag/1.0%20b/x.md"],
      ["comment", "/ann/open", "x.md", "x.md", "x.md"],
      ["wiki", "/ann/open/src/branch/main", "x.md", "wiki/x.md", "wiki/raw/x.md"],
      ["gfm", '/ann/open/src/../../..//commit/a"b', "x.md", "src/commit/a%22b/x.md", "media/commit/a%22b/x.md"],
    ])("%s in %j leads %j to %j", async (Mode, Context, address, page, medium) => {
      for (const context of [Context, `${forge.hearth.url}/${Context.replace(/^\//, "")}`])
        expect(await html(ben, `[a](${address}) ![a](${address})`, { Mode, Context: context })).toBe(
          paragraph(
            `<a href="${at(`ann/open/${page}`)}" rel="nofollow">a</a> <img src="${at(`ann/open/${medium}`)}" alt="a" loading="lazy" />`,
          ),
        )
    })

    test.each([["/"], ["ann"], ["/a b/c"], ["https://a.example/b/c"], ["/%00/x"]])(
      "without a repository in %j lead to the root",
      async (Context) => {
        expect(await html(ben, "[a](x.md) #1", { Context })).toBe(paragraph(`<a href="${at("x.md")}" rel="nofollow">a</a> #1`))
      },
    )
  })

  describe("files", () => {
    test.each([
      ["/ann/open/src/branch/main/sub", "sub/README.md", "src/branch/main/sub/x.md", "src/branch/main/y.md"],
      ["/ann/open/src/branch/main", "sub/README.MD", "src/branch/main/sub/x.md", "src/branch/main/y.md"],
      ["/ann/open/src/branch/sub", "README.md", "src/branch/sub/x.md", "src/branch/sub/y.md"],
    ])("in %j, %j", async (Context, FilePath, relative, absolute) => {
      const { text } = await render(ben, { Text: "[a](x.md) [b](/y.md)", Mode: "file", Context, FilePath }, "markup")
      expect(text.trimEnd()).toBe(
        paragraph(
          `<a href="${at(`ann/open/${relative}`)}" rel="nofollow">a</a> <a href="${at(`ann/open/${absolute}`)}" rel="nofollow">b</a>`,
        ),
      )
    })

    test("of values are tables", async () => {
      for (const [FilePath, Text] of [
        ["x.csv", "a,b"],
        ["y/x.TSV", "a\tb"],
      ])
        expect((await render(ben, { Text, Mode: "file", FilePath }, "markup")).text).toContain("<tr><th>a</th><th>b</th></tr>")
    })

    test.each([[{ FilePath: "a.txt" }], [{ FilePath: "md" }], [{}]])("of no known kind are refused: %j", async (file) => {
      const { status, text } = await render(ben, { Text: "x", Mode: "file", ...file }, "markup")
      expect([status, JSON.parse(text).message]).toEqual([422, expect.stringContaining("[FilePath]: must end in one of .md")])
    })

    test("are the mode alone that looks at names", async () => {
      expect((await render(ben, { Text: "a\nb", Mode: "comment", FilePath: "a.txt" }, "markup")).text).toContain("<br />")
    })
  })

  describe("in a repository", () => {
    const inOpen = async (Text: string, more: object = {}, operation = "markdown") => {
      const { status, text } = await render(ben, { Text, Mode: "comment", ...more }, `repos/Ann/OPEN/${operation}`)
      expect(status, text).toBe(200)
      return text.trimEnd()
    }
    const first = () => link("ann/open/issues/1", "ref-issue", "#1", "First &amp; &lt;b&gt;")

    test("mentions and links are those of the repository, whatever other one the context names", async () => {
      for (const Context of ["", "/ann/open", "/ann/shut", "nonsense"]) {
        expect(await inOpen("#1", { Context })).toBe(paragraph(first()))
        expect(await inOpen("[a](x.md)", { Context, Mode: "wiki" })).toContain(`href="${at("ann/open/wiki/x.md")}"`)
      }
      const Context = "/ann/open/src/branch/main/sub"
      const file = { Context, Mode: "file", FilePath: "sub/a.md" }
      expect(await inOpen("[a](x.md)", file, "markup")).toContain(`href="${at("ann/open/src/branch/main/sub/x.md")}"`)
      expect(await inOpen("a,b", { Mode: "file", FilePath: "a.csv" }, "markup")).toContain("<table>")
    })

    test("a text is taken as it is, and nothing in it looked up", async () => {
      const body = "# a #1"
      const init = { method: "POST", headers: { authorization: ben, "content-type": "text/plain" }, body }
      const answer = await fetch(`${forge.hearth.url}/api/v1/repos/ann/open/markdown/raw`, init)
      expect([answer.status, await answer.text()]).toEqual([200, "<h1>a #1</h1>\n"])
      expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox")
    })

    test("they need the repository to be visible, and a sign-in", async () => {
      for (const operation of ["markdown", "markdown/raw", "markup"]) {
        expect((await render(ben, { Text: "x" }, `repos/ann/shut/${operation}`)).status).toBe(404)
        expect((await send(forge.hearth.url, "POST", `/repos/ann/open/${operation}`, { body: {} })).status).toBe(401)
      }
    })

    test("they go on in an archived one", async () => {
      await call(ann, "POST /user/repos", { name: "old" })
      await call(ann, "PATCH /repos/ann/old", { archived: true })
      expect((await render(ann, { Text: "x" }, "repos/ann/old/markdown")).status).toBe(200)
    })
  })

  describe("a request", () => {
    const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      fetch(`${forge.hearth.url}/api/v1/markdown/raw`, { method: "POST", headers: { authorization: ben, ...headers }, body })

    test("of a text takes it whatever its content type", async () => {
      for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded", "x/y"]) {
        const answer = await raw("# a=b&c #1 @ann", { "content-type": type })
        expect([answer.status, await answer.text()]).toEqual([200, "<h1>a=b&amp;c #1 @ann</h1>\n"])
      }
    })

    test("is answered with HTML that nothing runs in", async () => {
      for (const answer of [await raw("a"), await render(ben, { Text: "a" }), await render(ben, { Text: "a" }, "markup")]) {
        expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox")
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
      }
    })

    test("of nothing is answered with nothing", async () => {
      expect(await (await raw("")).text()).toBe("")
      expect((await render(ben, {})).text).toBe("")
    })

    test.each([
      [{ Text: 7 }, "Text"],
      [{ Text: "x", Mode: "nonsense" }, "Mode"],
      [{ Text: "a\u0000" }, "Text"],
      [{ Text: "x", Context: `/${"a".repeat(1001)}` }, "Context"],
    ])("of %j is refused", async (body, field) => {
      for (const operation of ["markdown", "markup"]) {
        const { status, text } = await render(ben, body, operation)
        expect([status, JSON.parse(text).message]).toEqual([422, expect.stringContaining(`[${field}]`)])
      }
    })

    test("of bytes that are no text is refused", async () => {
      for (const bytes of [Uint8Array.of(0xff), Uint8Array.of(0x61, 0)]) expect((await raw(bytes)).status).toBe(422)
    })

    test("without credentials is refused, and a token of any scope will do", async () => {
      for (const operation of ["markdown", "markdown/raw", "markup"])
        expect((await send(forge.hearth.url, "POST", `/${operation}`, { body: {} })).status).toBe(401)
      const { body } = await call(ben, "POST /users/ben/tokens", { name: "notes", scopes: ["read:notification"] })
      expect(await html(`token ${body.sha1}`, "@ann")).toBe(paragraph(link("ann", "mention", "@ann")))
    })
  })
})
