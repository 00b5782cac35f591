import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../tests/support/browser.ts"
import { type FreshKind, statementsOf } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"
import { faultsIn } from "../../../tests/support/html.ts"

const HOSTILE = `"><img src=x onerror=alert(1)>'</title><script>alert(1)</script>`
const base64 = (text: string): string => Buffer.from(text).toString("base64")

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const { call } = forge
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  const must = async (caller: string, route: string, body?: unknown) => {
    const { status, body: answer } = await call(caller, route, body)
    if (status >= 300) throw new Error(`${route}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  const file = (repo: string, path: string, text: string) =>
    must(ann, `POST /repos/ann/${repo}/contents/${encodeURIComponent(path).replaceAll("%2F", "/")}`, {
      content: base64(text),
      message: "Add",
    })
  for (const [name, hidden] of [
    ["kettle", false],
    ["hush", true],
  ] as const) {
    await must(ann, "POST /user/repos", { name, private: hidden, description: `A kettle ${HOSTILE}` })
    await file(name, "src/tea pot#1.ts", `// 1\nconst tea_pot = "${HOSTILE}\u202e"\n// tea_pot\n`)
    await must(ann, `POST /repos/ann/${name}/issues`, { title: `The kettle boils ${HOSTILE}`, body: "Nothing" })
    await must(ann, `POST /repos/ann/${name}/issues/1/comments`, { body: `It whistles ${HOSTILE}` })
  }
  await file("kettle", "main.go", "package tea_pot\n")
  await must(ann, "POST /orgs", { username: "kettles" })
  await forge.hearth.services.jobs.drain()
  const as = async (name?: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  return { ...forge, ann, ben, as, must, file }
}

const rowsIn = (text: string): number => text.match(/<h2 class="(?:title|found-file)">/g)?.length ?? 0

withWorld("the pages of searches", { open }, ({ test, world }) => {
  test("search another branch without an index, and say so", async () => {
    await world.must(world.ann, "POST /repos/ann/kettle/branches", { new_branch_name: "side/é", old_branch_name: "main" })
    await world.must(world.ann, "POST /repos/ann/kettle/contents/only.ts", {
      content: base64("tea_pot\n"),
      branch: "side/é",
      message: "Add",
    })
    const ben = await world.as("ben")
    const side = await ben.get("/ann/kettle/search?q=tea_pot&ref=side%2F%C3%A9")
    expect([side.status, rowsIn(side.text), faultsIn(side.text)]).toEqual([200, 3, []])
    expect(side.text).toContain("which has no index")
    expect(side.text).toContain('<input type="hidden" name="ref" value="side/é">')
    expect((await ben.get("/ann/kettle/src/branch/side/%C3%A9")).text).toContain('name="ref" value="side/é"')
    expect(rowsIn((await ben.get("/ann/kettle/search?q=tea_pot&ref=main")).text)).toBe(2)
    expect((await ben.get("/ann/kettle/search?q=%28&search_mode=regexp&ref=side%2F%C3%A9")).text).toContain("is not a regular expression")
    for (const ref of ["missing", "-x", "..", "refs/pull/1/head"])
      expect([ref, (await ben.get(`/ann/kettle/search?q=tea_pot&ref=${ref}`)).status]).toEqual([ref, 404])
    expect((await ben.get("/ann/hush/search?q=tea_pot&ref=side")).status).toBe(404)
  })

  test("the first kind with results is shown, and each says how many there are; a repository's search leads everywhere", async () => {
    const nobody = await world.as()
    const code = (await nobody.get("/search?q=tea_pot")).text
    expect([rowsIn(code), /aria-current="page"[^>]*>[\s\S]*?Code <span class="count">2<\/span>/.test(code)]).toEqual([2, true])
    const issues = (await nobody.get("/search?q=whistles")).text
    expect(issues).toMatch(/type=issues" aria-current="page"/)
    expect((await nobody.get("/search?q=whistles&type=repositories")).text).toContain("Found elsewhere")
    const within = (await nobody.get("/ann/kettle/search?q=whistles")).text
    expect(within).toMatch(/type=issues" aria-current="page"/)
    expect(within).toContain('href="/search?q=whistles">Search everywhere</a>')
    expect(within).toContain('action="/ann/kettle/search"')
  })

  test("find each kind of thing, as far as the reader may see it", async () => {
    const [nobody, ben, ann] = [await world.as(), await world.as("ben"), await world.as("ann")]
    const cases: readonly (readonly [path: string, found: string, others: number, own: number])[] = [
      ["/search?q=kettle", "/ann/kettle", 1, 2],
      ["/search?q=tea_pot&type=code", "/ann/kettle/src/commit/", 2, 3],
      ["/search?q=whist&type=issues", "/ann/kettle/issues/1#issuecomment-", 1, 2],
      ["/search?q=ann&type=people", "/ann", 1, 1],
      ["/search?q=kettle&type=organizations", "/kettles", 1, 1],
      ["/explore/code?q=tea_pot", "/ann/kettle/src/commit/", 2, 3],
      ["/ann/-/code?q=tea_pot", "/ann/kettle/src/commit/", 2, 3],
      ["/ann/kettle/search?q=tea_pot", "/ann/kettle/src/commit/", 2, 2],
      ["/ann/kettle/search?q=whistles&type=issues", "/ann/kettle/issues/1#issuecomment-", 1, 1],
    ]
    for (const [path, found, others, own] of cases)
      for (const [browser, many] of [
        [nobody, others],
        [ben, others],
        [ann, own],
      ] as const) {
        const { status, text } = await browser.get(path)
        expect([path, status, rowsIn(text)]).toEqual([path, 200, many])
        expect(text).toContain(`href="${found}`)
        expect(faultsIn(text), path).toEqual([])
        expect(text).not.toContain("<img src=x")
        if (many === others) expect(text).not.toContain("ann/hush")
      }
    expect((await nobody.get("/ann/hush/search?q=tea_pot")).status).toBe(404)
    expect(rowsIn((await ann.get("/ann/hush/search?q=tea_pot")).text)).toBe(1)
  })

  test("show lines of code with their numbers, marks, and characters that can't be seen", async () => {
    const nobody = await world.as()
    const { text } = await nobody.get("/ann/kettle/search?q=tea_pot+lang:typescript")
    const address = /href="(\/ann\/kettle\/src\/commit\/[0-9a-f]{40}\/src\/tea%20pot%231\.ts)#L2">2<\/a>const <mark>tea_pot<\/mark>/.exec(
      text,
    )?.[1]
    expect(address).toBeDefined()
    expect(text).toContain('<span class="iv" title="U+202E">')
    expect(text).toContain("// <mark>tea_pot</mark>")
    expect((await nobody.get(address ?? "")).status).toBe(200)
  })

  test("lead from a language to the search in it, and from old links to the same", async () => {
    const nobody = await world.as()
    const all = await nobody.get("/explore/code?q=tea_pot&page=1")
    expect(all.text).toContain('href="/explore/code?q=tea_pot+lang%3AGo"')
    for (const path of ["/explore/code?q=tea_pot+lang%3AGo", "/explore/code?q=tea_pot&l=Go", "/explore/code?q=tea_pot+lang%3ARust&l=Go"]) {
      const { text } = await nobody.get(path)
      expect([path, rowsIn(text)]).toEqual([path, 1])
      expect(text).toContain("main.go")
      expect(text).toContain('value="tea_pot lang:Go"')
      expect(text).toContain('href="/explore/code?q=tea_pot"')
    }
  })

  test("have modes, and keep them in the form", async () => {
    const nobody = await world.as()
    const rows = async (query: string) => rowsIn((await nobody.get(`/explore/code?${query}`)).text)
    expect(await rows("q=tea_p")).toBe(2)
    expect(await rows("q=tea_p&search_mode=words")).toBe(0)
    expect(await rows("q=tea_p&search_mode=fuzzy")).toBe(0)
    expect(await rows("q=tea.p%5Bo%5D&search_mode=regexp")).toBe(2)
    expect(await rows("q=TEA_POT")).toBe(2)
    expect(await rows("q=TEA_POT&case=1")).toBe(0)
    const { forms } = await nobody.get("/search?type=code&q=tea&search_mode=regexp&case=1")
    expect(forms.find(({ fields }) => fields["q"] === "tea")?.fields).toEqual({ type: "code", search_mode: "regexp", case: "1", q: "tea" })
  })

  test("say what is wrong with a query beside its field", async () => {
    const nobody = await world.as()
    for (const [query, words] of [
      ["q=%5B(&search_mode=regexp", "The query is not a regular expression"],
      [`q=${"x".repeat(1001)}`, "The query must have at most 1000 characters."],
    ])
      for (const path of ["/search?type=code&", "/explore/code?", "/ann/kettle/search?", "/ann/-/code?"]) {
        const { status, text } = await nobody.get(`${path}${query}`)
        expect([path, status]).toEqual([path, 200])
        expect(text).toContain(words)
      }
  })

  test("take any query for text", async () => {
    const ann = await world.as("ann")
    const queries = [
      HOSTILE,
      `repo:${HOSTILE} path:${HOSTILE} lang:${HOSTILE}`,
      "%",
      "'",
      '"',
      "\\",
      "\u0000",
      "*",
      "#1",
      "-",
      "a".repeat(5000),
    ]
    for (const q of queries)
      for (const path of [
        "/search",
        "/search?type=code",
        "/search?type=issues",
        "/search?type=pulls",
        "/search?type=people",
        "/ann/kettle/search?type=issues",
      ]) {
        const { status, text } = await ann.get(`${path}${path.includes("?") ? "&" : "?"}q=${encodeURIComponent(q)}`)
        expect([path, q, status]).toEqual([path, q, 200])
        expect(faultsIn(text), path).toEqual([])
        expect(text).not.toContain("<img src=x")
      }
  })

  test("offer what they search where nothing is asked for or found", async () => {
    const nobody = await world.as()
    const cases: readonly (readonly [string, string])[] = [
      ["/search", "Search repositories"],
      ["/search?type=code", "repo:owner/name"],
      ["/explore/code", "repo:owner/name"],
      ["/ann/kettle/search", "lang:go"],
      ["/ann/kettle/search?type=pulls", "Search pull requests"],
      ["/search?q=nothinglikethat", "No repositories match"],
      ["/explore/code?q=nothinglikethat", "No code found"],
      // Elsewhere there is something.
      ["/search?q=tea&type=people", "No people match"],
      ["/search?q=kettle&type=people", "Found elsewhere"],
    ]
    for (const [path, words] of cases) {
      const { status, text } = await nobody.get(path)
      expect([path, status]).toEqual([path, 200])
      expect([path, text.includes(words)]).toEqual([path, true])
      expect(faultsIn(text), path).toEqual([])
    }
  })

  test("leave out what a repository doesn't have", async () => {
    await world.must(world.ann, "POST /user/repos", { name: "mute", auto_init: true })
    await world.must(world.ann, "PATCH /repos/ann/mute", { has_issues: false, has_pull_requests: false })
    const { text } = await (await world.as()).get("/ann/mute/search?q=kettle&type=issues")
    const bar = /<nav class="tabs" aria-label="Search in">([\s\S]*?)<\/nav>/.exec(text)?.[1] ?? ""
    expect(bar).toContain("Code")
    expect(bar).not.toContain("Issues")
  })

  test("of code take turns, and are refused where too many wait", async () => {
    const nobody = await world.as()
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => nobody.get(`/explore/code?q=tea_pot+${at}`)))
    for (const { status } of answers) expect([200, 503]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect((await nobody.get("/explore/code?q=tea_pot&again=1")).status).toBe(200)
  })

  test("take as many statements for many things as for one", async () => {
    const browser = await world.as("ben")
    const paths = ["/search?q=kettle", "/search?q=boils&type=issues", "/search?q=tea_pot&type=code", "/ann/kettle/search?q=tea_pot"]
    const count = async () => {
      // Anything written makes what is cached old.
      await world.must(world.ben, "PATCH /user/settings", { location: `${Math.random()}` })
      const counts: number[] = []
      for (const path of paths) counts.push((await statementsOf(world.hearth.services.database, () => browser.get(path))).length)
      return counts
    }
    const before = await count()
    for (let made = 0; made < 6; made++) {
      await world.must(world.ann, "POST /user/repos", { name: `kettle-${made}` })
      await world.must(world.ann, "POST /repos/ann/kettle/issues", { title: `It boils ${made}` })
      await world.file("kettle", `more-${made}.ts`, `tea_pot ${made}`)
    }
    await world.hearth.services.jobs.drain()
    expect(await count()).toEqual(before)
    expect(rowsIn((await browser.get("/search?q=kettle")).text)).toBe(7)
    expect(Math.max(...before)).toBeLessThan(40)
  })
})
