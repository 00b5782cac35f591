import { parse } from "parse5"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { statementsOf } from "../../../../../tests/support/database.ts"
import { freshHearth, PASSWORD, type TestHearth } from "../../../../../tests/support/hearth.ts"
import { isObjectId, type ObjectId, type TreeEntry } from "../../../../git/index.ts"

type File = readonly [path: string, content: string, operation?: "create" | "update" | "delete"]

const NASTY = `<img src=x onerror=alert(1)>"'\u202egpj.exe`

describe("pages of differences", () => {
  let forge: TestHearth
  let mira: string
  let noor: string
  let miraCookie: string
  let noorCookie: string
  const ids: string[] = []

  const get = async (path: string, cookie = "", init: RequestInit = {}) => {
    const response = await fetch(`${forge.hearth.url}${path}`, {
      redirect: "manual",
      ...init,
      headers: { accept: "text/html", origin: forge.hearth.url, "accept-encoding": "identity", ...(cookie === "" ? {} : { cookie }) },
    })
    return { status: response.status, to: response.headers.get("location"), headers: response.headers, text: await response.text() }
  }
  const signIn = async (name: string) => {
    const answer = await fetch(`${forge.hearth.url}/user/login`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ login: name, password: PASSWORD }),
    })
    return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  }
  const change = async (repo: string, branch: string, files: readonly File[], message: string, newBranch?: string, caller = mira) => {
    const shas = await Promise.all(
      files.map(([path, , operation]) =>
        operation === undefined || operation === "create"
          ? undefined
          : forge.call(caller, `GET /repos/${repo}/contents/${encodeURIComponent(path)}?ref=${encodeURIComponent(branch)}`),
      ),
    )
    const made = await forge.call(caller, `POST /repos/${repo}/contents`, {
      branch,
      ...(newBranch === undefined ? {} : { new_branch: newBranch }),
      message,
      files: files.map(([path, content, operation = "create"], at) => ({
        operation,
        path,
        ...(operation === "delete" ? {} : { content: Buffer.from(content).toString("base64") }),
        ...(shas[at] ? { sha: shas[at].body.sha } : {}),
      })),
    })
    expect(made.status).toBe(201)
    return String(made.body.commit.sha)
  }

  const numbered = (change = "") => Array.from({ length: 60 }, (_, at) => `line ${at + 1}${at === 29 ? change : ""}\n`).join("")

  beforeAll(async () => {
    forge = await freshHearth("sqlite")
    mira = await forge.person("mira")
    noor = await forge.person("noor")
    miraCookie = await signIn("mira")
    noorCookie = await signIn("noor")
    await forge.call(mira, "POST /user/repos", { name: "code", default_branch: "main", auto_init: true })
    ids.push(
      await change(
        "mira/code",
        "main",
        [
          ["a.txt", numbered()],
          ["dir/deep/b.ts", "const one = 1\n"],
        ],
        "Begin",
      ),
    )
    ids.push(
      await change(
        "mira/code",
        "main",
        [
          ["a.txt", numbered(" is another"), "update"],
          [NASTY, `<script>alert(1)</script>\n\u202e</div></main>\n`],
          ["dir/deep/b.ts", "const  one =  1\n", "update"],
        ],
        "Fix <b>it</b> in __init__ (#1)\n\nWhy: *because* https://example.com/a_b_c\n\nCo-authored-by: Noor <noor@example.com>",
        "topic/one",
      ),
    )
  })
  afterAll(() => forge.close())

  const faults = (text: string): readonly string[] => {
    const found: string[] = []
    parse(text, { onParseError: ({ code }) => found.push(code) })
    const all = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    return [
      ...found,
      ...all.filter((id, at) => all.indexOf(id) !== at).map((id) => `twice ${id}`),
      ...((text.match(/<h1\b/g)?.length ?? 0) === 1 ? [] : ["h1"]),
    ]
  }

  test("a commit has its message, its people and its lines; what is hostile stays text", async () => {
    const { status, text } = await get(`/mira/code/commit/${ids[1]}`)
    expect(status).toBe(200)
    expect(faults(text)).toEqual([])
    expect(text).toContain("Fix &lt;b&gt;it&lt;/b&gt; in __init__")
    expect(text).toContain(`href="https://example.com/a_b_c"`)
    expect(text).toContain("*because*")
    expect(text).toMatch(/with .*noor/)
    expect(text).not.toContain("<img src=x")
    expect(text).not.toContain("<script>alert")
    expect(text).toContain("&lt;script&gt;")
    expect(text).not.toContain("\u202e")
    expect(text).toContain("U+202E")
    expect(text).toMatch(/id="diff-[0-9a-f]{40}R30" data-n="30"/)
    expect(text).toContain("<mark>")
    expect(text).not.toMatch(/<[a-z][^>]*\s(?:style|on\w+)="/i)
  })

  test("a line has at most six elements", async () => {
    const { text } = await get(`/mira/code/commit/${ids[0]}`)
    const lines = text.match(/<div class="a" .*?<\/div>/g) ?? []
    expect(lines.length).toBeGreaterThan(60)
    for (const line of lines) expect(line.match(/<[a-z]/g)?.length ?? 0).toBeLessThanOrEqual(6)
  })

  test("unified or split, with white space or without", async () => {
    const split = await get(`/mira/code/commit/${ids[1]}?style=split`)
    expect(faults(split.text)).toEqual([])
    expect(split.text).toContain(`<div class="both">`)
    expect((await get(`/mira/code/commit/${ids[1]}`)).text).not.toContain(`<div class="both">`)
    expect((await get(`/mira/code/commit/${ids[1]}?whitespace=ignore-all`)).text).not.toContain("const  one")
    expect((await get(`/mira/code/commit/${ids[1]}?style=sideways&whitespace=all`)).status).toBe(200)
  })

  test("as the browser remembers it, unless the address says it", async () => {
    const shown = async (kept: string, query = "") => {
      const { text } = await get(`/mira/code/commit/${ids[1]}${query}`, `hearth_diffs=${kept}`)
      expect(faults(text)).toEqual([])
      const pressed = [...text.matchAll(/value="([\w-]+)" aria-pressed="true"/g)].map(([, value]) => value)
      return {
        pressed: pressed.slice(0, 3),
        split: text.includes('<div class="both">'),
        spaces: text.includes("3 changed files"),
        long: text.includes('class="long-lines"'),
      }
    }
    const chosen = ["split", "ignore-all", "long"]
    expect(await shown("split.ignore-all.long")).toEqual({ pressed: chosen, split: true, spaces: false, long: true })
    const asked = "?style=unified&whitespace=show-all&lines=wrap"
    const usual = { pressed: ["unified", "show-all", "wrap"], split: false, spaces: true, long: false }
    expect(await shown("split.ignore-all.long", asked)).toEqual(usual)
    for (const odd of ["", "%00", "a.b.c.d", "...", "x".repeat(500), "%E0%A4%A"]) expect(await shown(odd)).toEqual(usual)
  })

  test("older addresses lead to the file that they name", async () => {
    const at = `/mira/code/commit/${ids[1]}`
    const alone = { status: 303, to: `${at}?style=split&file=a.txt` }
    expect(await get(`${at}?file-only=true&files=a.txt&files=old.txt&style=split`)).toMatchObject(alone)
    const [, anchor] =
      /<section class="diff" id="([^"]+)" data-rows="\d+" aria-labelledby="[^"]+">(?:(?!<section).)*b\.ts/s.exec((await get(at)).text) ?? []
    expect(await get(`${at}?skip-to=dir%2Fdeep%2Fb.ts`)).toMatchObject({ status: 303, to: `${at}#${anchor}` })
    expect((await get(`${at}?files=&skip-to=`)).status).toBe(200)
    const compare = "/mira/code/compare/main...topic/one"
    expect(await get(`${compare}?files=a.txt`)).toMatchObject({ status: 303, to: `${compare}?file=a.txt` })
  })

  test("pictures with their sizes, renames, modes and submodules in words", async () => {
    const { git, database } = forge.hearth.services
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", "code").executeTakeFirstOrThrow()
    const repository = git.at(row.storage, row.object_format)
    const png = (width: number, height: number) => {
      const bytes = Buffer.alloc(40)
      bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")
      bytes.writeUInt32BE(width, 16)
      bytes.writeUInt32BE(height, 20)
      return bytes
    }
    const modules = (url: string) => `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n`
    const commit = async (files: readonly (readonly [name: string, mode: TreeEntry["mode"], content: string | Buffer])[]) => {
      const entries = files.map(async ([name, mode, content]) => ({
        name,
        mode,
        id:
          mode === "160000" && typeof content === "string" && isObjectId(content)
            ? content
            : await git.objects.writeBlob(repository, content),
      }))
      const tree = await git.objects.writeTree(repository, await Promise.all(entries))
      const who = { name: "Mira", email: "mira@example.com", offset: 0, when: 1_700_000_000 }
      return { tree, who, message: "m\n" }
    }
    const [older, newer] = ["a".repeat(40), "b".repeat(40)]
    const diff = async (before: Parameters<typeof commit>[0], after: Parameters<typeof commit>[0]) => {
      const [old, made] = [await commit(before), await commit(after)]
      const write = ({ tree, who, message }: typeof old, parents: readonly ObjectId[]) =>
        git.objects.writeCommit(repository, { tree, parents, author: who, committer: who, message })
      const { status, text } = await get(`/mira/code/commit/${await write(made, [await write(old, [])])}`)
      expect(status).toBe(200)
      expect(faults(text)).toEqual([])
      return text
    }
    const picture = await diff([["a.png", "100644", png(10, 20)]], [["a.png", "100644", png(30, 40)]])
    expect(picture).toContain('alt="Before" loading="lazy" width="10" height="20"')
    expect(picture).toContain("After: 30 × 40 pixels, 40 B")
    expect(await diff([], [["a.png", "100644", "no picture\0"]])).toMatch(/alt="After" loading="lazy" ?>.*After, 11 B/s)
    const drawn = await diff([["a.svg", "100644", "<svg/>\n"]], [["a.svg", "100644", "<svg></svg>\n"]])
    expect(drawn).toMatch(/alt="Before".*alt="After".*class="diff-lines/s)
    const moved = await diff([["a.txt", "100644", numbered()]], [["b.txt", "100755", numbered()]])
    expect(moved).toContain("<bdi>a.txt</bdi> → <bdi>b.txt</bdi>")
    expect(moved).toContain("made executable")
    expect(await diff([["a", "100755", "x\n"]], [["a", "100644", "x\n"]])).toMatch(/no longer executable.*Only its mode changed/s)
    expect(await diff([["a", "100644", "b"]], [["a", "120000", "b"]])).toContain("was a file, is a symbolic link")

    const from = async (url: string) =>
      diff(
        [
          [".gitmodules", "100644", modules(url)],
          ["lib", "160000", older],
        ],
        [
          [".gitmodules", "100644", modules(url)],
          ["lib", "160000", newer],
        ],
      )
    for (const url of ["../../noor/lib.git", `${forge.hearth.services.site.rootUrl}/noor/lib`])
      expect(await from(url)).toContain(`href="/noor/lib/compare/${older}...${newer}"`)
    const elsewhere = await from("https://example.com/noor/lib")
    expect(elsewhere).toContain('href="https://example.com/noor/lib" rel="nofollow ugc noopener"')
    expect(elsewhere).not.toContain("/compare/")
    for (const odd of ["javascript:alert(1)", "../../../../../..", "git@example.com:a/b", '"><b>', "../%zz", "//evil.example/x"]) {
      const text = await from(odd)
      expect(text).toContain(older.slice(0, 12))
      expect(text).not.toContain("Compare them")
      expect(text).not.toContain(`href="${odd}`)
    }
    expect(await diff([], [["lib", "160000", newer]])).toMatch(/A submodule, at the commit <code>b/)
    expect(await diff([["lib", "160000", newer]], [])).toContain("removed; it was at commit")
  })

  test("many files have a field that filters them", async () => {
    expect((await get(`/mira/code/commit/${ids[1]}`)).text).not.toContain("Filter files")
    const files = ["one", "two", "three", "four"].map((name) => [`filtered/${name}.txt`, `${name}\n`] as const)
    const id = await change("mira/code", "main", files, "Four", "four")
    expect((await get(`/mira/code/commit/${id}`)).text).toContain('aria-label="Filter files"')
  })

  test("one file alone, whole, and its lines one part after the other", async () => {
    const alone = await get(`/mira/code/commit/${ids[1]}?file=a.txt`)
    expect(faults(alone.text)).toEqual([])
    expect(alone.text).toContain("line 30")
    expect(alone.text).not.toContain("alert(1)")
    expect((await get(`/mira/code/commit/${ids[1]}?file=a.txt&context=all`)).text).toContain(`R60" data-n="60"`)
    expect((await get(`/mira/code/commit/${ids[1]}?file=nothing`)).status).toBe(404)
    const [, first = ""] = /data-excerpt="([^"]+)"/.exec(alone.text) ?? []
    const lines = await get(first.replaceAll("&amp;", "&"))
    expect(lines.status).toBe(200)
    expect(lines.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(lines.text).toContain(`R26" data-n="26"`)
    expect(lines.text).toContain(`R1" data-n="1"`)
    expect(lines.text).not.toContain(`data-n="27"`)
    const address = first.replaceAll("&amp;", "&").split("?")[0]
    const part = await get(`${address}?path=a.txt&from=1&to=60&opens=down&whole=//evil.example/`)
    expect(part.text).toContain(`data-n="40"`)
    expect(part.text).not.toContain(`data-n="41"`)
    expect(part.text).not.toContain(`href="//evil`)
    expect((await get(`${address}?from=x&to=-5`)).status).toBe(200)
    expect((await get(`/mira/code/blob_excerpt/${"0".repeat(40)}`)).status).toBe(404)
    expect((await get("/mira/code/blob_excerpt/nothing")).status).toBe(404)
  })

  test("as text, and by other names", async () => {
    const diff = await get(`/mira/code/commit/${ids[1]}.diff`)
    expect(diff.headers.get("content-type")).toContain("text/plain")
    expect(diff.text).toContain("+line 30 is another")
    expect((await get(`/mira/code/commit/${ids[1]}.patch`)).text).toMatch(/^From [0-9a-f]{40}/)
    expect((await get("/mira/code/compare/main...topic/one.diff")).text).toContain("+line 30 is another")
    expect((await get(`/mira/code/commit/${ids[1]?.slice(0, 8)}`)).status).toBe(200)
    expect(await get("/mira/code/commit/topic/one")).toMatchObject({ status: 303, to: `/mira/code/commit/${ids[1]}` })
    expect(await get("/mira/code/pulls/new/topic/one", miraCookie)).toMatchObject({
      status: 303,
      to: "/mira/code/compare/main...topic/one?expand=1",
    })
    expect((await get(`/mira/code/commit/${ids[1]}?containing=1`)).text).toContain("/mira/code/src/branch/topic/one")
  })

  test.each([
    "commit/ffffffff",
    "commit/nothing",
    "commit/%00",
    "commit/--output=x",
    `commit/${"a".repeat(300)}`,
    "compare/main...nothing",
    "compare/nothing...main",
    "compare/noor:main",
    "compare/...",
    "compare/main...%00",
    "compare/main...--help",
    "compare/a/b/c:d:e...f",
  ])("%s is not there, and no fault", async (path) => {
    const { status } = await get(`/mira/code/${path}`, miraCookie)
    expect(status).toBe(404)
  })

  test("comparisons say what state they are in", async () => {
    const shown = await get("/mira/code/compare/topic/one", miraCookie)
    expect(shown.status).toBe(200)
    expect(faults(shown.text)).toEqual([])
    expect(shown.text).toContain("1 commit")
    expect(shown.text).toContain("Open a pull request")
    expect((await get("/mira/code/compare/main...main")).text).toContain("Base and head are identical")
    expect((await get("/mira/code/compare/topic/one...main")).text).toContain("No new commits")
    expect((await get("/mira/code/compare/topic/one..main")).text).toContain('<section class="diff"')
    expect((await get("/mira/code/compare")).text).toContain("<form")
    expect(await get("/mira/code/compare?base=main&head=topic/one")).toMatchObject({
      status: 303,
      to: "/mira/code/compare/main...topic/one",
    })
    expect((await get("/mira/code/compare/main...topic/one")).text).toContain("Sign in</a> to open a pull request")
  })

  test("an empty repository has nothing to compare", async () => {
    await forge.call(mira, "POST /user/repos", { name: "empty" })
    expect((await get("/mira/empty/compare")).text).toContain("Nothing to compare yet")
    for (const path of ["compare/main...main", "commit/main", "commit/abcdef1234"])
      expect((await get(`/mira/empty/${path}`, miraCookie)).status).toBe(404)
  })

  test("a head in a private fork is hidden from those who may not read it, and a deleted one is gone", async () => {
    await forge.call(mira, "POST /user/repos", { name: "closed", default_branch: "main", auto_init: true, private: true })
    await forge.person("ola")
    for (const name of ["noor", "ola"])
      expect((await forge.call(mira, `PUT /repos/mira/closed/collaborators/${name}`, { permission: "read" })).status).toBe(204)
    expect((await forge.call(noor, "POST /repos/mira/closed/forks", { name: "copy" })).status).toBe(202)
    await change("noor/copy", "main", [["secret.txt", "a secret\n"]], "Mine", "hidden", noor)
    const olaCookie = await signIn("ola")
    expect((await get("/mira/closed/compare/main", olaCookie)).status).toBe(200)
    for (const head of ["noor:hidden", "noor/copy:hidden"]) {
      expect((await get(`/mira/closed/compare/main...${head}`, noorCookie)).text).toContain("a secret")
      for (const cookie of ["", olaCookie]) {
        const { status, text } = await get(`/mira/closed/compare/main...${head}`, cookie)
        // Anyone who has not signed in is asked to, whether it is there or not.
        expect(status).toBe(cookie === "" ? 303 : 404)
        expect(text).not.toContain("a secret")
      }
    }
    expect((await forge.call(noor, "DELETE /repos/noor/copy")).status).toBe(204)
    expect((await get("/mira/closed/compare/main...noor:hidden", noorCookie)).status).toBe(404)
  })

  test("a pull request is opened by the form, and its files have the comments under their lines", async () => {
    const form = (title: string) => ({
      method: "POST",
      body: new URLSearchParams({ base: "main", head: "topic/one", title, body: "Because." }),
    })
    const again = await get("/mira/code/compare/main...topic/one", miraCookie, form(" "))
    expect(again.status).toBe(422)
    expect(again.text).toContain("Title is required.")
    expect(again.text).toContain("Because.")
    const made = await get("/mira/code/compare/main...topic/one", miraCookie, form("One <more>"))
    expect(made).toMatchObject({ status: 303 })
    const at = made.to ?? ""
    const number = at.split("/").at(-1)
    expect((await get("/mira/code/compare/main...topic/one")).text).toContain(`href="${at}"`)

    await forge.call(noor, `POST /repos/mira/code/pulls/${number}/reviews`, {
      event: "COMMENT",
      body: "Well.",
      comments: [
        { path: "a.txt", body: "Why <i>this</i>?", new_position: 30 },
        { path: "a.txt", body: "Far away.", new_position: 2 },
      ],
    })
    for (const style of ["", "?style=split"]) {
      const files = await get(`${at}/files${style}`)
      expect(files.status).toBe(200)
      expect(faults(files.text)).toEqual([])
      expect(files.text).toMatch(/R30" data-n="30".*?class="noted".*?Why/s)
      expect(files.text).toMatch(/Outside of the diff.*Far away/s)
    }
    // By another address each time: the page itself is kept.
    let time = 0
    const statements = async () => (await statementsOf(forge.hearth.services.database, () => get(`${at}/files?time=${time++}`))).length
    await statements()
    const few = await statements()
    for (const line of [28, 29, 31, 32])
      await forge.call(noor, `POST /repos/mira/code/pulls/${number}/reviews`, {
        event: "COMMENT",
        body: "More.",
        comments: [{ path: "a.txt", body: `About ${line}.`, new_position: line }],
      })
    await statements()
    expect(await statements()).toBe(few)

    const later = await change("mira/code", "topic/one", [["c.txt", "later\n"]], "Later")
    expect((await get(`${at}/files`, noorCookie)).text).toContain(`${at}/files/${ids[1]}..${later}`)
    const since = await get(`${at}/files/${ids[1]}..${later}`)
    expect(since.text).toContain("c.txt")
    expect(since.text).not.toContain("line 30")
    const one = await get(`${at}/commits/${later}`)
    expect(one.text).toContain(`${at}/commits/${ids[1]}`)
    expect(one.text).toContain("2 of 2 commits")
    for (const path of ["files/x..y", `files/${later}..ffffffff`, "commits/ffffffff"]) expect((await get(`${at}/${path}`)).status).toBe(404)
  })
})
