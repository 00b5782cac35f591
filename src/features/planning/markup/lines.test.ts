import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { sessionOf } from "../../../../tests/support/session.ts"

withHearth("links to lines of code on pages", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  const linksIn: Record<string, string> = {}
  const LINES = ["// one", "export const two = '<b>'", "three()", ...Array.from({ length: 60 }, (_, at) => `line(${at})`)].join("\n")
  const shown = async (number: number, cookie = "") =>
    (await fetch(`${forge.hearth.url}/ann/open/issues/${number}`, { headers: { accept: "text/html", cookie } })).text()
  const cards = (html: string): readonly string[] => html.match(/<figure class="ref-lines">[\s\S]*?<\/figure>/g) ?? []

  test.beforeAll(async () => {
    for (const name of ["open", "shut"]) {
      await call(ann, "POST /user/repos", { name, private: name === "shut", auto_init: true, default_branch: "main" })
      const content = Buffer.from(LINES).toString("base64")
      const { body } = await call(ann, `POST /repos/ann/${name}/contents/src/a%20b.ts`, { content, message: "x" })
      linksIn[name] = `${forge.hearth.services.site.rootUrl}/ann/${name}/src/commit/${body.commit.sha}/src/a%20b.ts`
    }
  })

  const issue = async (body: string): Promise<number> => (await call(ann, "POST /repos/ann/open/issues", { title: "x", body })).body.number

  test("are cards with these lines where they stand on a line of their own, and links elsewhere", async () => {
    const link = `${linksIn["open"]}#L2-L3`
    const html = await shown(await issue(`See:\n${link}\nthere, and in ${link} too.\n\n- ${link}`))
    expect(cards(html)).toHaveLength(2)
    expect(cards(html)[0]).toContain('<ol dir="ltr" start="2">')
    expect(cards(html)[0]).toContain("&lt;b&gt;")
    expect(cards(html)[0]).not.toContain("// one")
    expect(html).toMatch(/and in <a [^>]*class="ref-lines"[^>]*>src\/a b\.ts#L2-L3<\/a> too/)
  })

  test("show lines only to who may read the repository", async () => {
    const number = await issue(`${linksIn["shut"]}#L2`)
    const mine = await shown(number, await sessionOf(forge.hearth.url, "ann"))
    expect(cards(mine)).toHaveLength(1)
    const others = await shown(number)
    expect(cards(others)).toHaveLength(0)
    expect(others).not.toContain("export const")
    expect(cards(await shown(number, await sessionOf(forge.hearth.url, "ann")))).toHaveLength(1)
  })

  test("are links where there is nothing to show", async () => {
    const missing = String(linksIn["open"]).replace("/src/a", "/src/none")
    const html = await shown(await issue(`${missing}#L1\n\n${linksIn["open"]}#L900\n\n${linksIn["open"]}`))
    expect(cards(html)).toHaveLength(0)
    expect(html).toContain("#L900</a>")
  })

  test("are bounded in lines and in number", async () => {
    const [long = ""] = cards(await shown(await issue(`${linksIn["open"]}#L1-L60`)))
    expect(long.split("<li>")).toHaveLength(32)
    expect(long).toContain("…")
    const many = Array.from({ length: 40 }, (_, at) => `${linksIn["open"]}#L${at + 1}`).join("\n")
    expect(cards(await shown(await issue(many)))).toHaveLength(20)
  })
})
