import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openStage, type Stage } from "../releases/testing.ts"

describe(".editorconfig", () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage("memory")
  })
  afterAll(() => stage.close())

  const OPEN = "/repos/ann/open"
  const put = (path: string, content: string | Buffer) =>
    stage.must(stage.ann, `POST ${OPEN}/contents/${path}`, { content: Buffer.from(content).toString("base64") })
  const said = (path: string, query = "") => stage.call(undefined, `GET ${OPEN}/editorconfig/${path}${query}`)

  test("is missing until there is one", async () => {
    expect((await said("a.ts")).status).toBe(404)
    expect((await stage.call(undefined, `GET ${OPEN}/editorconfig/`)).status).toBe(404)
  })

  test("says of a file what the nearest sections say", async () => {
    await stage.must(stage.ann, `POST ${OPEN}/tags`, { tag_name: "before" })
    await put(
      ".editorconfig",
      "root = true\n[*]\nIndent_Style = Space\nindent_size = 4\nend_of_line = lf\nodd = x\n[*.{ts,js}]\nindent_size = 2\n[/docs/**]\nend_of_line = unset\n",
    )
    await put("docs/.editorconfig", "[*.md]\ntrim_trailing_whitespace = false\nmax_line_length = 80\n")
    expect((await said("src/a.ts")).body).toEqual({ indent_style: "space", indent_size: "2", end_of_line: "lf" })
    expect((await said("docs/a.md")).body).toEqual({ indent_style: "space", indent_size: "4", trim_trailing_whitespace: "false" })
    await put("lib/.editorconfig", "root = true\n[*.c]\nindent_style = tab\n")
    expect((await said("lib/a.c")).body).toEqual({ indent_style: "tab" })
    expect((await said("lib/a.ts")).body).toEqual({})
    expect((await said("src/a.ts", "?ref=before")).status).toBe(404)
    expect((await said("src/a.ts", "?ref=nowhere")).status).toBe(404)
    expect((await said(".git/config")).status).toBe(400)
  })

  test("that can't be read says nothing", async () => {
    await put("bad/.editorconfig", Buffer.concat([Buffer.from("root = true\n[*]\nindent_style"), Buffer.from([0xff, 0xfe, 0, 0x5b])]))
    expect((await said("bad/x")).status).toBe(200)
    await put("large/.editorconfig", `root = true\n[*]\n${"a = b\n".repeat(20_000)}`)
    expect((await said("large/x.c")).body).toMatchObject({ indent_style: "space" })
    expect((await said(`long/${"a/".repeat(3000)}x`)).status).toBe(404)
  })

  test("of what is hidden is hidden", async () => {
    expect(await stage.status(stage.cal, "GET /repos/ann/hush/editorconfig/x")).toBe(404)
  })
})
