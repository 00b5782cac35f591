/**
 * JSON nested some thousand levels deep is small and well-formed, but functions that call themselves for each level ran out of stack: 500. A workflow
 * file whose YAML contains itself, or has the NUL character by an escape, made every push of its author fail in the same way. Now whatever others wrote
 * is refused in words where it nests deeper than a hundred levels; NUL, halves of characters, numbers beyond all bounds and names such as `__proto__`
 * are refused or harmless wherever they come from.
 */
import { expect } from "vitest"
import { MAX_DEPTH } from "../../src/core/text/json.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
const nestedMembers = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const LFS = "application/vnd.git-lfs+json"

withHearth("deeply nested input", { people: ["ann"], on: databaseKinds }, ({ test, forge, ann }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
  })
  const repo = "/repos/ann/lamp"
  const locks = async (body: string) => {
    const headers = { accept: LFS, "content-type": LFS, authorization: ann }
    const answer = await fetch(`${forge.hearth.url}/ann/lamp.git/info/lfs/locks`, { method: "POST", headers, body })
    return { status: answer.status, text: await answer.text() }
  }

  test.for([MAX_DEPTH + 1, 5_000, 200_000])("%d levels are refused in words", async (depth) => {
    const routes = [`POST ${repo}/issues`, `PATCH ${repo}`, `POST ${repo}/hooks`, `POST ${repo}/contents/a.txt`, "PATCH /user/settings"]
    for (const route of routes)
      for (const body of [
        nested(depth),
        nestedMembers(depth),
        `{"title":"x","config":${nested(depth)}}`,
        `{"body":${nestedMembers(depth)}}`,
      ]) {
        const answer = await forge.call(ann, route, body)
        expect([route, answer.status, answer.body.message]).toEqual([route, 422, "[body]: it is nested more than 100 levels deep"])
      }
    expect(await locks(`{"path":"a","more":${nested(depth)}}`)).toEqual({ status: 422, text: expect.stringContaining("100 levels deep") })
  })

  test("in an address it is refused like anything that is no list of files", async () => {
    for (const text of [nested(2_000), '{"files":["a\\u0000b"]}', '{"files":["\\ud800"]}']) {
      const { status } = await forge.call(ann, `GET ${repo}/file-contents?body=${encodeURIComponent(text)}`)
      expect([text.slice(0, 30), status < 500]).toEqual([text.slice(0, 30), true])
    }
  })

  test("some levels of what nothing reads are let through", async () => {
    const { status } = await forge.call(ann, `POST ${repo}/issues`, `{"title":"x","unknown":${nested(MAX_DEPTH - 1)}}`)
    expect(status).toBe(201)
  })

  test("names that JavaScript knows are ordinary names", async () => {
    for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
      const body = `{"title":"${name}","${name}":{"title":"y","isAdmin":true,"state":"closed"}}`
      const answer = await forge.call(ann, `POST ${repo}/issues`, body)
      expect([answer.status, answer.body.title, answer.body.state]).toEqual([201, name, "open"])
    }
    expect((await forge.call(ann, `POST ${repo}/issues`, '{"__proto__":{"title":"x"}}')).status).toBe(422)
    expect("isAdmin" in {}).toBe(false)
  })

  test("numbers beyond all bounds are refused, and of two members of a name the last one counts", async () => {
    for (const number of ["1e400", "-1e400", "9".repeat(400), "9007199254740993"])
      expect((await forge.call(ann, `POST ${repo}/issues`, `{"title":"x","milestone":${number}}`)).status).toBe(422)
    const { body } = await forge.call(ann, `POST ${repo}/issues`, '{"title":"one","title":"two"}')
    expect(body.title).toBe("two")
  })

  test("NUL and halves of characters are refused wherever they come from", async () => {
    const { url } = forge.hearth
    const form = (path: string, body: string) =>
      fetch(url + path, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body })
    const answers = [
      ...["\\u0000", "\\ud800"].map((part) => forge.call(ann, `POST ${repo}/issues`, `{"title":"x${part}"}`)),
      ...["title=x%00", "title=x&body=%00"].map((body) =>
        forge.call(ann, `POST ${repo}/issues`, body, { "content-type": "application/x-www-form-urlencoded" }),
      ),
      ...["a%00b", "%ED%A0%80"].flatMap((part) => [
        forge.call(forge.root, `GET /user?sudo=${part}`),
        forge.call(ann, `GET /users/${part}`),
        forge.call(ann, `GET ${repo}/issues?q=${part}&labels=${part}&milestones=${part}&created_by=${part}`),
        forge.call(ann, `GET ${repo}/file-contents?body=${part}&ref=${part}`),
        fetch(`${url}/${part}/${part}`),
        fetch(`${url}/ann/${part}/archive/main.zip`),
        fetch(`${url}/ann/lamp/archive/${part}.zip`),
        fetch(`${url}/ann/lamp/releases/download/${part}/${part}`),
        fetch(`${url}/attachments/${part}`),
        fetch(`${url}/avatars/${part}`),
        fetch(`${url}/${part}.keys`),
        fetch(`${url}/ann/${part}.git/info/refs?service=git-upload-pack`),
        fetch(`${url}/ann/lamp.git/info/lfs/locks?path=${part}&id=${part}&cursor=${part}`, {
          headers: { accept: LFS, authorization: ann },
        }),
        fetch(`${url}/user/unsubscribe/${part}`),
        form("/user/forgot_password", `address=${part}%40example.com`),
        form("/user/change_password", `login=${part}&username=${part}&password=${part}&new_password=${part}&repeated=${part}`),
        form(`/user/recover_account?code=${part}`, `code=${part}&password=${part}`),
        form(`/user/activate?code=${part}`, `code=${part}&password=${part}`),
      ]),
      fetch(`${url}/api/v1/user`, { headers: { authorization: `Basic ${btoa("ann\0:x\0")}` } }),
      fetch(`${url}/api/v1/user`, { headers: { authorization: ann, "x-gitea-otp": "\u00ff" } }),
    ]
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    for (const path of ["a\\u0000b", "\\ud800"]) expect([201, 422]).toContain((await locks(`{"path":"${path}"}`)).status)
  })

  test("workflow files and issue templates that can't be read do not keep a push from succeeding", async () => {
    const jobs = "on: push\njobs:\n  build:\n    runs-on: linux\n    steps: [{run: make}]\n"
    const texts = {
      "itself.yml": `${jobs}    env: &a {more: *a}\n`,
      "deep.yml": `${jobs}    env: ${nested(500)}\n`,
      "deeper.yml": `${jobs}    env: ${nested(20_000)}\n`,
      "nul-name.yml": `name: "a\\0b"\n${jobs}`,
      "nul-run.yml": `run-name: "a\\0b"\n${jobs}`,
      "nul-job.yml": `${jobs}    name: "a\\x00b"\n`,
      "half.yml": `run-name: "a\\ud800b"\n${jobs}`,
      "names.yml": `${jobs}    __proto__: {if: "false"}\n`,
      "bomb.yml": `${jobs}    a: &a [x,x,x,x,x,x,x,x,x]\n    b: &b [*a,*a,*a,*a,*a,*a,*a]\n    c: &c [*b,*b,*b,*b,*b]\n    d: [*c,*c,*c,*c]\n`,
    }
    const files = Object.entries(texts).flatMap(([name, text]) =>
      [`.gitea/workflows/${name}`, `.gitea/ISSUE_TEMPLATE/${name}`].map((path) => ({
        operation: "create",
        path,
        content: Buffer.from(text).toString("base64"),
      })),
    )
    for (const file of files)
      expect([file.path, (await forge.call(ann, `POST ${repo}/contents`, { message: "x", files: [file] })).status]).toEqual([
        file.path,
        201,
      ])
    await forge.settle()
    const runs = await forge.call(ann, `GET ${repo}/actions/runs`)
    expect([runs.status, runs.body.total_count > 0]).toEqual([200, true])
    for (const path of ["/issue_templates", "/issue_config", "/actions/workflows"])
      expect([path, (await forge.call(ann, `GET ${repo}${path}`)).status]).toEqual([path, 200])
    expect((await forge.call(ann, `POST ${repo}/issues`, { title: "x" })).status).toBe(201)
  })
})
