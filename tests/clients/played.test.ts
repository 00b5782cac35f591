/**
 * Clients that are not installed here, by the requests that they send and by what they make of the answers: ogr 0.61 (pyforgejo) and fj 0.7, gitea-mcp 0.5,
 * python-semantic-release 10.7, and Backstage's integration 2.1. Each was refused or misled by what these tests hold. `.ci/run` runs ogr and python-semantic-release themselves
 * (`python.test.ts`).
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"

withHearth(
  "clients that are played",
  { people: ["ann", "ben"], config: { api: { notFoundBody: "specified" } } },
  ({ test, forge, call, ann, ben }) => {
    const at = "/repos/ann/tool"
    test.beforeAll(async () => {
      await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
      await call(ann, "POST /user/repos", { name: "vault", auto_init: true, private: true })
      await call(ann, `POST ${at}/issues`, { title: "One" })
    })

    const ask = (path: string, headers: Readonly<Record<string, string>> = {}, redirect: RequestInit["redirect"] = "manual") =>
      fetch(forge.hearth.url + path, { headers, redirect })

    test("ogr and fj read why something is missing: the errors, a message, the address of the description", async () => {
      for (const path of [
        "/repos/ann/nothing",
        `${at}/releases/tags/v9`,
        `${at}/issues/99`,
        `${at}/labels/9`,
        "/users/nobody",
        "/orgs/none",
      ]) {
        const answer = await ask(`/api/v1${path}`, { authorization: ann, accept: "application/json" })
        expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json;charset=utf-8"])
        expect(await answer.json()).toEqual({
          errors: [],
          message: expect.stringMatching(/./),
          url: expect.stringMatching(/^http.*\/api\/swagger$/),
        })
      }
      // Two that the specification has, and says of them that a 404 has no body.
      for (const path of ["/users/nobody/followers", `${at}/issues/99/times`]) {
        const answer = await ask(`/api/v1${path}`, { authorization: ann })
        expect([answer.status, await answer.text()]).toEqual([404, ""])
      }
    })

    test("ogr takes its reaction back without naming it", async () => {
      const { id } = (await call(ann, `POST ${at}/issues/1/comments`, { body: "A comment" })).body
      const reactions = `${at}/issues/comments/${id}/reactions`
      await call(ben, `POST ${reactions}`, { content: "+1" })
      await call(ann, `POST ${reactions}`, { content: "+1" })
      expect((await call(ann, `DELETE ${reactions}`, {})).status).toBe(204)
      const left = (await call(ann, `GET ${reactions}`)).body
      expect(left.map(({ user }: { user: { login: string } }) => user.login)).toEqual(["ben"])
    })

    test("gitea-mcp lists pull requests and issues with its own words for order and state", async () => {
      for (const query of ["state=open&sort=newest&page=1&limit=20", "state=all&sort=created&milestone=0"])
        expect((await call(ann, `GET ${at}/pulls?${query}`)).status).toBe(200)
      const { status, body } = await call(ann, `GET ${at}/issues?state=open&type=issue&page=1&limit=20`)
      expect([status, body.length]).toEqual([200, 1])
    })

    test("python-semantic-release fetches what it uploaded, without following a redirect", async () => {
      const { body } = await call(ann, `POST ${at}/releases`, {
        tag_name: "v1.0.0",
        name: "v1.0.0",
        body: "Notes",
        draft: false,
        prerelease: false,
      })
      const form = new FormData()
      form.append("attachment", new Blob(["a wheel"]), "tool-1.0.0-py3-none-any.whl")
      const path = `${at}/releases/${body.id}/assets?name=tool-1.0.0-py3-none-any.whl`
      expect((await call(ann, `POST ${path}`, form)).status).toBe(201)
      const file = await ask("/ann/tool/releases/download/v1.0.0/tool-1.0.0-py3-none-any.whl", {}, "error")
      expect([file.status, await file.text()]).toEqual([200, "a wheel"])
    })

    test("Backstage's link to the editor of a private repository leads to signing in, and so does one to nothing", async () => {
      const asked = ["/ann/vault", "/ann/nothing", "/nobody/nothing", "/ann/tool"].flatMap((repository) => [
        `${repository}/_edit/main/catalog-info.yaml`,
        `${repository}/_new/main/docs`,
        `${repository}/settings`,
        `${repository}/issues/new`,
      ])
      for (const path of [...asked, "/ann/vault/compare/main...topic?expand=1", "/ann/nothing/compare/main...topic?expand=1"]) {
        const { status, headers } = await ask(path, { accept: "text/html" })
        expect([path, status, headers.get("location")]).toEqual([path, 303, `/user/login?redirect_to=${encodeURIComponent(path)}`])
      }
      // What anyone could see is missing for search engines, whether hidden or not there.
      for (const path of ["/ann/vault", "/ann/nothing", "/ann/vault/issues/1", "/ann/vault/src/branch/main/README.md"])
        expect([path, (await ask(path, { accept: "text/html" })).status]).toEqual([path, 404])
    })
  },
)
