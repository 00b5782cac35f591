import { expect, test } from "vitest"
import { permissionsFor } from "./permissions.ts"

const permissions = (workflow: unknown, job: unknown, more: object = {}) =>
  permissionsFor({ workflow: { permissions: workflow }, job: { permissions: job }, isUntrusted: false, ...more })

const all = (mode: string) =>
  Object.fromEntries(
    ["code", "releases", "issues", "pulls", "packages", "actions", "wiki", "projects"].map((unit) => [`repo.${unit}`, mode]),
  )

test.each([
  ["nothing said: all but tokens for elsewhere", undefined, undefined, all("write")],
  ["read-all", "read-all", undefined, { ...all("read"), "id-token": "read" }],
  ["write-all", "write-all", undefined, { ...all("write"), "id-token": "write" }],
  [
    "what is not named is not granted",
    { contents: "read", issues: "write" },
    undefined,
    { "repo.code": "read", "repo.releases": "read", "repo.issues": "write" },
  ],
  ["the job's instead of the workflow's", "write-all", { "pull-requests": "read" }, { "repo.pulls": "read" }],
  [
    "names without effect, and words that are none",
    { checks: "write", constructor: "write", issues: "admin", code: "none" },
    undefined,
    {},
  ],
  ["nothing", {}, undefined, {}],
  [
    "a part more than the whole",
    { contents: "read", code: "write", "id-token": "write" },
    undefined,
    { "repo.code": "write", "repo.releases": "read", "id-token": "write" },
  ],
])("%s", (_, workflow, job, expected) => expect(permissions(workflow, job)).toEqual(expected))

test("code of others reads code, packages and releases at most", () => {
  const expected = { "repo.code": "read", "repo.releases": "read", "repo.packages": "read" }
  expect(permissions("write-all", undefined, { isUntrusted: true })).toEqual(expected)
  expect(permissions({ packages: "read", issues: "read" }, undefined, { isUntrusted: true })).toEqual({ "repo.packages": "read" })
})

test("a called workflow may do no more than its caller", () =>
  expect(permissions("write-all", undefined, { most: { "repo.code": "read", "repo.issues": "write" } })).toEqual({
    "repo.code": "read",
    "repo.issues": "write",
  }))
